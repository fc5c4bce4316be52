// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/responder.h: a thread that answers on its connections. It checks what was sent and
// written, fills memory that will be read, and binds windows.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "dat.h"
#include "end.h"

namespace datum::stress {

class Node;

class Responder {
 public:
  Responder(Node& node, int index);
  void free();
  void run();
  void stop(); // makes the thread leave run(); may be called by any thread

 private:
  struct Answering {
    std::unique_ptr<End> end;
    DAT_RMR_HANDLE window = DAT_HANDLE_NULL;
    std::uint64_t asked = 0; // messages so far
    bool ended = false;      // the connection has ended, but its last completions may still come
  };
  bool on_event(const DAT_EVENT& event);
  void on_completion(const DAT_DTO_COMPLETION_EVENT_DATA& data);
  void on_connection(DAT_EVENT_NUMBER number, DAT_EP_HANDLE ep);
  void give_back_if_quiet(Answering& answering);
  void answer(Answering& answering, const Received& received);

  Node& node_;
  DAT_EVD_HANDLE evd_ = DAT_HANDLE_NULL;
  std::vector<std::unique_ptr<Answering>> answering_;
  std::map<DAT_HANDLE, Answering*> by_handle_; // of the EP and of the window
};

} // namespace datum::stress
