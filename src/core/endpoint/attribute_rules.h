// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/attribute_rules.h: which attributes of endpoints an adapter accepts, and which
// completion streams of endpoints may share an EVD (dat_ep_create(3DAT), Usage; decision 15).
#pragma once

#include "base/status.h"
#include "core/object/adapter_context.h"
#include "core/object/object_walk.h"
#include "core/port/types.h"

namespace datum {

class Endpoint;
struct EndpointParts;

EndpointAttributes default_attributes(const AdapterContext& adapter);

// Checks that the values are within the limits of the IA. An EP with an SRQ posts no Recvs of its
// own, so max_recv_iov is not checked (dat_ep_create_with_srq).
Status check_attributes(const AdapterContext& adapter, const EndpointAttributes& attributes,
                        bool with_srq);

// Tells whether an EP with these parts and attributes may feed its EVDs beside the streams of
// `endpoints`. `self`: the EP being modified, which does not compete with itself.
Sharing evd_sharing(ObjectList& endpoints, const EndpointParts& parts,
                    const EndpointAttributes& attributes, const Endpoint* self);

// Refuses Sharing::Refused, and the values that only strict mode refuses. The attributes have
// passed all other checks. Each use of a leniency is counted.
Status permit_leniencies(AdapterContext& adapter, const EndpointAttributes& attributes,
                         Sharing sharing, Detail argument);

} // namespace datum
