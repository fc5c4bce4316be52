// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls on CNOs and EVDs.
#include "objects.h"
#include "shortage_tables.h"

namespace datum::test {

namespace {

constexpr DAT_TIMEOUT kMoment = 2000; // us

DAT_RETURN software_event(Stage& s) {
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  return dat_evd_post_se(s.active.evd, &event);
}

void armed(DAT_PVOID, DAT_EVD_HANDLE) {}

constexpr ShortCall kEventCalls[] = {
    {"cno_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* cno) {
             return dat_cno_create(s.active.ia, {nullptr, &armed}, cno);
           },
           &dat_cno_free);
     },
     nullptr},
    {"cno_create_and_free", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made_and_freed(
           [&](DAT_HANDLE* cno) {
             return dat_cno_create(s.active.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, cno);
           },
           &dat_cno_free);
     },
     nullptr},
    {"cno_modify_agent", Answers::kShortage, nullptr,
     [](Stage& s) {
       return dat_cno_modify_agent(s.active.cno, {nullptr, &armed});
     },
     nullptr},
    {"cno_modify_agent_to_none", Answers::kSuccess, nullptr,
     [](Stage& s) { return dat_cno_modify_agent(s.active.cno, DAT_OS_WAIT_PROXY_AGENT_NULL); },
     nullptr},
    {"cno_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_CNO_PARAM param{};
       return dat_cno_query(s.active.cno, DAT_CNO_FIELD_ALL, &param);
     },
     nullptr},
    {"cno_wait", Answers::kNothingYet, nullptr,
     [](Stage& s) {
       const DAT_RETURN posted = software_event(s);
       DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
       return posted == DAT_SUCCESS ? dat_cno_wait(s.active.cno, kMoment, &fired) : posted;
     },
     nullptr},
    {"evd_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* evd) {
             return dat_evd_create(s.active.ia, 8, s.active.cno, kEveryStream, evd);
           },
           &dat_evd_free);
     },
     nullptr},
    {"evd_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_EVD_PARAM param{};
       return dat_evd_query(s.active.evd, DAT_EVD_FIELD_ALL, &param);
     },
     nullptr},
    {"evd_modify_cno", Answers::kShortage, nullptr,
     [](Stage& s) { return dat_evd_modify_cno(s.active.cr_evd, s.active.cno); }, nullptr},
    {"evd_modify_cno_to_none", Answers::kSuccess, nullptr,
     [](Stage& s) { return dat_evd_modify_cno(s.active.evd, DAT_HANDLE_NULL); }, nullptr},
    {"evd_disable_and_enable", Answers::kSuccess, nullptr,
     [](Stage& s) {
       const DAT_RETURN answer = dat_evd_disable(s.active.evd);
       return answer == DAT_SUCCESS ? dat_evd_enable(s.active.evd) : answer;
     },
     nullptr},
    {"evd_set_and_clear_unwaitable", Answers::kSuccess, nullptr,
     [](Stage& s) {
       const DAT_RETURN answer = dat_evd_set_unwaitable(s.active.evd);
       return answer == DAT_SUCCESS ? dat_evd_clear_unwaitable(s.active.evd) : answer;
     },
     nullptr},
    {"evd_post_se_and_wait", Answers::kNothingYet, nullptr,
     [](Stage& s) {
       const DAT_RETURN posted = software_event(s);
       return posted == DAT_SUCCESS ? s.next(s.active.evd, kMoment) : posted;
     },
     nullptr},
    {"evd_wait_in_vain", Answers::kNothingYet, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = s.next(s.active.evd, kMoment);
       return DAT_GET_TYPE(answer) == DAT_TIMEOUT_EXPIRED ? DAT_RETURN{DAT_SUCCESS} : answer;
     },
     nullptr},
    {"evd_wait_for_a_message", Answers::kNothingYet, &Stage::message,
     [](Stage& s) { return s.next(s.passive.evd, kMoment); }, nullptr},
    {"evd_wait_for_a_request", Answers::kNothingYet, &Stage::asks,
     [](Stage& s) {
       const DAT_RETURN answer = s.next(s.passive.cr_evd, kMoment);
       // A shortage may have refused the request. Then the requester must get an event.
       return DAT_GET_TYPE(answer) == DAT_TIMEOUT_EXPIRED ? s.next(s.active.evd, kMoment) : answer;
     },
     nullptr},
    {"evd_dequeue", Answers::kNothingYet, &Stage::message,
     [](Stage& s) { return dat_evd_dequeue(s.passive.evd, &s.event); }, nullptr},
    {"evd_resize", Answers::kShortage, nullptr,
     [](Stage& s) { return dat_evd_resize(s.active.evd, 1000); }, nullptr},
    {"evd_free", Answers::kSuccess, nullptr,
     [](Stage& s) { return freed(s.active.spare, &dat_evd_free); }, nullptr},
};

} // namespace

std::span<const ShortCall> short_calls_of_events() {
  return kEventCalls;
}

} // namespace datum::test
