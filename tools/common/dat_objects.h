// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_objects.h: DAT handles that free themselves.
// Lives here: one owner type for every DAT object, and the functions that create the objects and
//             throw on failure. Members of a class are destroyed in reverse order of declaration.
//             So declare the Interface first, then PZ, EVDs, EPs and regions.
// Not here:   waiting (dat_events.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/dat_handle.h"

namespace datum::tools {

using Pz = DatHandle<dat_pz_free>;
using Evd = DatHandle<dat_evd_free>;
using Ep = DatHandle<dat_ep_free>;
using Psp = DatHandle<dat_psp_free>;
using Lmr = DatHandle<dat_lmr_free>;
using Cr = DatHandle<dat_cr_reject>; // rejected unless accept() took it

// An open IA with its own async EVD.
class Interface {
 public:
  explicit Interface(const std::string& name);
  [[nodiscard]] DAT_IA_HANDLE get() const { return ia_.get(); }
  [[nodiscard]] DAT_EVD_HANDLE async_evd() const { return async_evd_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string address() const; // as text

 private:
  std::string name_;
  DAT_EVD_HANDLE async_evd_ = nullptr; // belongs to the IA
  IaHandle ia_;
};

Pz make_pz(const Interface& ia);
Evd make_evd(const Interface& ia, DAT_COUNT qlen, int flags); // flags: OR of DAT_EVD_*_FLAG
// All events of the endpoint go to one EVD. attr: null for the defaults.
Ep make_ep(const Interface& ia, const Pz& pz, const Evd& evd, const DAT_EP_ATTR* attr = nullptr);

// If port is 0, the provider chooses a port, and `port` is set to it.
Psp listen(const Interface& ia, DAT_CONN_QUAL& port, const Evd& cr_evd);

// Throws if ep cannot take the connection; the request is rejected then.
void accept(Cr request, DAT_EP_HANDLE ep, const std::string& peer, std::string private_data = {});

struct Caller {
  std::string address;      // of the requester's host, as text
  std::string private_data; // of the request; the requester is not trusted
};
Caller caller_of(const Cr& request);

// The path of a connected endpoint, in the provider's words; "": the provider does not tell it.
std::string path_of(const Ep& ep);

// Registers memory while this object lives. Does not own the memory.
class Region {
 public:
  Region() = default;
  Region(const Interface& ia, const Pz& pz, std::span<std::byte> memory, int privileges);
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] DAT_RMR_CONTEXT rmr_context() const { return rmr_context_; }
  [[nodiscard]] DAT_VADDR address() const { return reinterpret_cast<DAT_VADDR>(bytes_.data()); }
  [[nodiscard]] DAT_LMR_TRIPLET local(std::size_t offset, std::size_t length) const;

 private:
  std::span<std::byte> bytes_;
  DAT_LMR_CONTEXT lmr_context_ = 0;
  DAT_RMR_CONTEXT rmr_context_ = 0;
  Lmr lmr_;
};

// Memory of the peer.
DAT_RMR_TRIPLET remote(DAT_RMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length);

} // namespace datum::tools
