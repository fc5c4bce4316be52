// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/attribute_rules.h: which attributes of endpoints an adapter takes, and which of
// their completion streams may share an EVD (dat_ep_create(3DAT), Usage; decision 15).
#pragma once

#include "base/status.h"
#include "core/object/adapter_context.h"
#include "core/object/object_walk.h"
#include "core/port/types.h"

namespace datum {

class Endpoint;
struct EndpointParts;

EndpointAttributes default_attributes(const AdapterContext& adapter);

// Values within the limits of the IA. With an SRQ the EP posts no Recvs of its own, and how many
// segments they could have is ignored (dat_ep_create_with_srq).
Status check_attributes(const AdapterContext& adapter, const EndpointAttributes& attributes,
                        bool with_srq);

// May an EP with these parts and attributes feed its EVDs beside the streams of `endpoints`, which
// feed them already? `self`: the EP being modified, which does not compete with itself.
Sharing evd_sharing(ObjectList& endpoints, const EndpointParts& parts,
                    const EndpointAttributes& attributes, const Endpoint* self);

// What the letter of the manual refuses after all, of attributes and a sharing that are right
// otherwise; each use of a leniency counts.
Status permit_leniencies(AdapterContext& adapter, const EndpointAttributes& attributes,
                         Sharing sharing, Detail argument);

} // namespace datum
