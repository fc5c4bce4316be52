// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_services.h"

namespace datum {

Status DatagramServices::make_room_for_peer() {
  if (peers_ >= adapter_.limits().max_eps)
    return {Type::InsufficientResources, Detail::ResourceTep};
  adapter_.make_room_to_retire();
  return kOk;
}

} // namespace datum
