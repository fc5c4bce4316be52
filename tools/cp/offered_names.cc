// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/offered_names.h"

#include <utility>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "cp/file_error.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

[[noreturn]] void unacceptable(std::string_view path, std::string_view why) {
  throw tools::ToolError(
      tools::ExitCode::Failed,
      fmt::format("the other side offered {}: {}; the copy ends here", shown(path), why));
}

} // namespace

OfferedNames::OfferedNames(Requested requested, bool one_root)
    : requested_(std::move(requested)), most_roots_(one_root ? 1 : kMaxPaths) {}

bool OfferedNames::offer(const std::string& path, Kind kind) {
  if (const std::string_view why = path_problem(path); !why.empty()) unacceptable(path, why);
  const std::string_view parent = parent_of(path);
  bool refused = false;
  if (parent.empty()) {
    static_cast<void>(enter(parent));
    take_root(path, kind);
  } else {
    if (!enter(parent)) unacceptable(path, "it is in no folder that was offered");
    Folder& folder = open_.back();
    const std::string_view name = name_in(path);
    if (name == folder.last_name) unacceptable(path, "it was offered before");
    if (name < folder.last_name) unacceptable(path, "it is out of order");
    folder.last_name = name;
    refused = folder.refused;
  }
  if (kind == Kind::Directory) open_.push_back({path, "", refused});
  return refused;
}

void OfferedNames::take_root(const std::string& path, Kind kind) {
  if (requested_) {
    std::size_t at = next_request_;
    while (at < requested_->size() && (*requested_)[at] != path &&
           !((*requested_)[at].empty() && kind == Kind::Directory))
      ++at;
    if (at == requested_->size()) unacceptable(path, "it was not asked for");
    pass_over(at);
    next_request_ = at + 1;
  }
  if (roots_.size() == most_roots_) unacceptable(path, "it is one more than there is a place for");
  if (!roots_.insert(path).second) unacceptable(path, "it was offered before");
}

void OfferedNames::pass_over(std::size_t until) {
  for (; next_request_ < until; ++next_request_)
    passed_over_.push_back((*requested_)[next_request_]);
}

// Leaves folders until `parent` is the innermost open folder. False: no open folder has this path.
bool OfferedNames::enter(std::string_view parent) {
  while (!open_.empty() && open_.back().path != parent) {
    if (complete_.size() == kMaxEnds)
      unacceptable(open_.back().path, "it is one of too many folders without an end");
    complete_.push_back(std::move(open_.back()));
    open_.pop_back();
  }
  return !open_.empty();
}

void OfferedNames::refuse_last_folder() {
  open_.back().refused = true;
}

bool OfferedNames::end(const std::string& path) {
  const bool left = !complete_.empty();
  if (!left && open_.empty()) unacceptable(path, "it is the end of a folder that was not offered");
  const Folder& next = left ? complete_.front() : open_.back();
  if (next.path != path) unacceptable(path, "it is not the folder that ends next");
  const bool refused = next.refused;
  if (left)
    complete_.pop_front();
  else
    open_.pop_back();
  return refused;
}

std::vector<std::string> OfferedNames::finish() {
  if (!complete_.empty()) unacceptable(complete_.front().path, "the end of that folder never came");
  if (!open_.empty()) unacceptable(open_.back().path, "the end of that folder never came");
  if (requested_) pass_over(requested_->size());
  return std::move(passed_over_);
}

} // namespace datum::cp
