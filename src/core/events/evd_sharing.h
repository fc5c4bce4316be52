// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/evd_sharing.h: which EP completion streams may share an EVD
// (dat_ep_create(3DAT), Usage; decision 15).
#pragma once

#include "base/status.h"
#include "core/endpoint/endpoint.h"
#include "core/port/types.h"

namespace datum {

// May an EP with these parts and attributes feed its EVDs beside the streams that feed them
// already? `self`: the EP being modified, which does not compete with itself.
Sharing evd_sharing(InterfaceAdapter& adapter, const EndpointParts& parts,
                    const EndpointAttributes& attributes, const Endpoint* self);

} // namespace datum
