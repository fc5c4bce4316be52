// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The index that finds the region or window of a context.
#include "bare_world.h"

namespace datum {
namespace {

class Index : public testing::Test, protected test::BareWorld {
 protected:
  std::unique_ptr<MemoryRegion> make_region() {
    RegionRequest request;
    request.address = address(0);
    request.length = kSize;
    auto region =
        std::make_unique<MemoryRegion>(context, zone, request, open_region(), SharedNames::Use());
    index.make_room_for(region->local_stag());
    index.add(*region);
    return region;
  }
};

TEST_F(Index, ARegionIsFoundByItsContextAlone) {
  const auto first = make_region();
  const auto second = make_region();
  EXPECT_EQ(index.find_region(first->local_stag()), first.get());
  EXPECT_EQ(index.find_region(second->local_stag()), second.get());
  EXPECT_EQ(index.find_region(first->local_stag() ^ 1U), nullptr) << "another key";
  EXPECT_EQ(index.find_region(0xffffff00U), nullptr) << "beyond all";
  index.remove(*first);
  EXPECT_EQ(index.find_region(first->local_stag()), nullptr);
  EXPECT_EQ(index.find_region(second->local_stag()), second.get());
}

TEST_F(Index, AWindowIsFoundWhileItIsBound) {
  MemoryWindow window(context, zone, MemoryWindow::Scope::Zone);
  windows.push_back(window);
  EXPECT_EQ(index.find_window(0), nullptr) << "0 names nothing, and unbound windows have it";
  MemoryWindow::Binding binding;
  const Stag bound = binding.stag = context.regions().reserve();
  window.take(std::move(binding));
  EXPECT_EQ(index.find_window(bound), &window);
  index.unbind_window(bound);
  EXPECT_FALSE(window.bound());
  EXPECT_EQ(index.find_window(bound), nullptr);
}

} // namespace
} // namespace datum
