// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/connect_evd.h: the connect EVD of an EP: an EVD of the EP's own IA, an EVD of another
// open IA, or none.
// Threads:    the lock of the EP's IA.
#pragma once

#include <memory>

#include "core/events/event_dispatcher.h"
#include "core/events/foreign_evd.h"
#include "core/object/ref.h"

namespace datum {

class ForeignEvds;

class ConnectEvd {
 public:
  // At most one of `own` and `foreign` is set.
  struct Choice {
    EventDispatcher* own = nullptr;
    std::shared_ptr<ForeignEvd> foreign = {};
    // When the other IA has been closed, its EVD counts as none.
    Token token() const {
      if (own != nullptr) return own->token();
      return foreign && !foreign->gone() ? foreign->token() : nullptr;
    }
  };
  ConnectEvd(ForeignEvds& ways, const Choice& choice);
  ~ConnectEvd() { let_go(); }
  ConnectEvd(const ConnectEvd&) = delete;
  ConnectEvd& operator=(const ConnectEvd&) = delete;

  explicit operator bool() const { return own_ || (foreign_ && !foreign_->gone()); }
  Choice choice() const { return {own_.get(), foreign_}; }
  Token token() const { return choice().token(); }
  EventDispatcher* own() const { return own_.get(); }
  bool is(const ForeignEvd& foreign) const { return foreign_.get() == &foreign; }

  // Allocates what a change to `choice` needs.
  void make_room_for(const Choice& choice);
  void change(const Choice& choice);
  // False: the event is lost, and the EVD reports an overflow. `connection`: the number that the EP
  // gives the connection.
  bool push(const Event& event, std::uint32_t connection);
  void forget_data(Token object, const void* data);

 private:
  void let_go();

  ForeignEvds& ways_;
  Ref<EventDispatcher> own_;
  std::shared_ptr<ForeignEvd> foreign_;
};

} // namespace datum
