// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connect_reports.h: the events about the connections of an EP for its connect EVD.
// Lives here: which EVD that is, the private data that its events point to, which connection an
//             event was about, the counters of outcomes.
// Not here:   why a connection begins and ends (connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <vector>

#include "core/endpoint/endpoint_frame.h"
#include "core/events/connect_evd.h"
#include "core/port/types.h"

namespace datum {

class ConnectReports {
 public:
  // Which side of the connection the EP is.
  enum class Role : std::uint8_t { Connecter, Accepter };

  ConnectReports(EndpointFrame& frame, const ConnectEvd::Choice& choice);
  ~ConnectReports();

  const ConnectEvd& evd() const { return evd_; }
  // Allocates what change() needs.
  void make_room_for(const ConnectEvd::Choice& choice) { evd_.make_room_for(choice); }
  void change(const ConnectEvd::Choice& choice);

  // Reserves memory for the peer's answer. The answer comes outside every call of the consumer,
  // when a lack of memory could not be reported.
  void make_room_for_answer() { private_data_.reserve(kMostPrivateDataOfAnswer); }
  // Copies the data: the channel keeps them only until its call returns.
  PrivateData keep(PrivateData data);
  void forget_kept() { private_data_.clear(); }

  // A new connection is established. Later reports are about the new connection.
  void begin_connection() { ++connection_; }
  // Counts the outcome, and tells the EVD. False: the EVD has no room for it.
  bool report(EventKind kind, Role role, PrivateData data = {});
  // Reports about a peer of datagrams. False: the event is lost, since there is no room or no EVD.
  bool report_datagrams(const Event& event);
  // True: `evd` is this EVD, and the EP has had no connection later than `connection`.
  bool concerns(const ForeignEvd& evd, std::uint32_t connection) const {
    return evd_.is(evd) && connection == connection_;
  }

 private:
  void count(EventKind kind, Role role);
  // The private data are about to be freed. Events that are queued in the EVD lose their pointers
  // to the data.
  void forget_told_data();

  EndpointFrame& frame_;
  ConnectEvd evd_;
  std::vector<std::byte> private_data_;
  std::uint32_t connection_ = 0;   // number of the EP's connection, or of its last one
  bool told_private_data_ = false; // an event points to private_data_, and may be unreaped
};

} // namespace datum
