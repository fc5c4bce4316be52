// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/initiator.h: a thread that sends requests on its connections. At random it sends,
// writes, reads, writes through windows, disconnects and connects again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "chance.h"
#include "dat.h"
#include "end.h"

namespace datum::stress {

class Node;

class Initiator {
 public:
  Initiator(Node& node, int index);
  void free();
  void run();

 private:
  enum class State { Down, Connecting, Up };
  struct Asking {
    std::unique_ptr<End> end;
    State state = State::Down;
    bool leaving = false;    // this side has disconnected
    bool ended = false;      // the connection has ended, but completions may still come
    std::uint64_t asked = 0; // messages so far
    Message hello;           // where the responder's memory is
    std::deque<Message> answers;
  };

  // False: the connection was lost meanwhile.
  bool connect(Asking& asking);
  bool round(Asking& asking);
  bool send_data(Asking& asking);
  bool write_and_verify(Asking& asking);
  bool read_and_verify(Asking& asking);
  bool write_through_window(Asking& asking);
  bool ask(Asking& asking, Message message);
  bool await_answers(Asking& asking, std::size_t count, Message& last);
  bool await_completions(Asking& asking);
  // A part of the responder's memory, from `offset` on. `context` names its region or a window on
  // it.
  static DAT_RMR_TRIPLET there(const Asking& asking, DAT_RMR_CONTEXT context, std::uint64_t offset,
                               std::uint64_t length);
  void write_pieces(Asking& asking, const Message& range, DAT_RMR_CONTEXT context);
  void disconnect(Asking& asking);

  // Takes events until `enough` holds or the connection is down.
  void await(Asking& asking, const std::function<bool()>& enough);
  void on_event(const DAT_EVENT& event);
  void look_at_events(DAT_TIMEOUT time);
  void go_down_if_quiet(Asking& asking);
  void on_connection(Asking& asking, DAT_EVENT_NUMBER number);
  Asking& asking_of(DAT_EP_HANDLE ep);
  Message random_range(Asking& asking);

  Node& node_;
  Chance chance_;
  DAT_EVD_HANDLE evd_ = DAT_HANDLE_NULL;
  std::vector<std::unique_ptr<Asking>> asking_;
};

} // namespace datum::stress
