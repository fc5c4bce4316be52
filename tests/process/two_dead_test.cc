// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two connected processes are both killed, at any moment. No shared memory, no file and no socket
// name may be left of them. With `--long` there are many more such moments.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "connection.h"
#include "doomed.h"
#include "process_main.h"
#include "two_processes.h"
#include "variable.h"

namespace datum::test {

namespace {

namespace fs = std::filesystem;

// The sockets, memfds and files that a process has open or mapped and that may outlive it.
struct Estate {
  std::set<ino_t> sockets;
  std::set<std::pair<dev_t, ino_t>> memory; // memfds
  std::set<std::string> files;              // with a path in a folder for temporary or shared files
};

bool is_for_others(const std::string& path) {
  for (const char* folder : {"/dev/shm/", "/tmp/", "/var/tmp/", "/run/"})
    if (path.starts_with(folder)) return true;
  return false;
}

void add_file(Estate& estate, const fs::path& link) {
  std::error_code gone;
  const std::string path = fs::read_symlink(link, gone).string();
  struct stat what {};
  if (gone || ::stat(link.c_str(), &what) != 0) return;
  if (S_ISSOCK(what.st_mode)) estate.sockets.insert(what.st_ino);
  if (path.starts_with("/memfd:")) estate.memory.insert({what.st_dev, what.st_ino});
  if (S_ISREG(what.st_mode) && is_for_others(path)) estate.files.insert(path);
}

void add_estate(Estate& estate, const std::string& process) {
  std::error_code gone;
  for (const char* list : {"/fd", "/map_files"})
    for (fs::directory_iterator at("/proc/" + process + list, gone), end; !gone && at != end;
         at.increment(gone))
      add_file(estate, at->path());
}

template <class Item>
void take_away(std::set<Item>& from, const std::set<Item>& these) {
  for (const Item& each : these) from.erase(each);
}

// Whether the file belongs to the build, as the program and its libraries do. The build may lie
// below a folder for temporary files.
bool is_built(const std::string& file) {
  static const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  return file.starts_with(build.string() + "/");
}

// The estate of these processes, without what they inherited from this process and without the
// build.
Estate estate_of(std::initializer_list<pid_t> processes) {
  Estate estate;
  for (const pid_t process : processes) add_estate(estate, std::to_string(process));
  Estate ours;
  add_estate(ours, "self");
  take_away(estate.sockets, ours.sockets);
  take_away(estate.memory, ours.memory);
  take_away(estate.files, ours.files);
  std::erase_if(estate.files, is_built);
  return estate;
}

// The estate of all processes that exist.
Estate estate_of_everybody() {
  Estate estate;
  std::error_code gone;
  for (fs::directory_iterator at("/proc", gone), end; !gone && at != end; at.increment(gone))
    if (std::atoi(at->path().filename().c_str()) > 0)
      add_estate(estate, at->path().filename().string());
  return estate;
}

// The lines of a table of sockets that have one of these inodes in the given column.
std::string lines_of(const char* table, std::size_t column, const std::set<ino_t>& inodes) {
  std::string found;
  std::ifstream lines(table);
  std::string line;
  std::getline(lines, line); // the head line
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    for (std::size_t i = 0; i <= column; ++i) words >> word;
    if (inodes.contains(std::strtoul(word.c_str(), nullptr, 10))) found += line + "\n";
  }
  return found;
}

// The sockets that hold a name that ends with "/QUALIFIER". An accepted socket shows the name but
// does not hold it.
std::string names_of(const std::string& qualifier) {
  constexpr const char* kConnected = "03";
  std::string found;
  std::ifstream lines("/proc/net/unix");
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("/" + qualifier)) continue;
    std::istringstream words(line);
    std::string word; // address, references, protocol, flags, type, state: proc(5)
    for (int i = 0; i < 6; ++i) words >> word;
    if (word != kConnected) found += line + "\n";
  }
  return found;
}

std::set<std::string> entries(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// A folder for temporary files. A test finds there the files that were left.
class Temporary {
 public:
  Temporary() : path_(testing::TempDir() + "datum-two-dead-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << path_;
    where_.emplace("TMPDIR", path_);
  }
  ~Temporary() {
    where_.reset();
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<Variable> where_;
};

struct Ways {
  Fate fate;
  const char* ways; // DATUM_TRANSPORT
  bool long_qualifier;
};

void PrintTo(const Ways& ways, std::ostream* out) {
  *out << name_of(ways.fate) << " over " << ways.ways;
}

class TwoDead : public testing::TestWithParam<Ways> {
 protected:
  // This process becomes the parent of a child whose own parent was killed.
  void SetUp() override { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  void TearDown() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  // Starts both processes and waits until both have begun. Sets `child_` if the listener has a
  // child.
  void bring_to_life(bool has_child) {
    const Variable transport("DATUM_TRANSPORT", GetParam().ways);
    listener_.emplace(doomed_listener(GetParam().fate, GetParam().long_qualifier, has_child));
    const std::string word = listener_->receive();
    ASSERT_EQ(word.rfind("listening ", 0), 0U) << word;
    qualifier_ = word.substr(std::strlen("listening "));
    caller_.emplace(doomed_caller(GetParam().fate, qualifier_));
    if (has_child) {
      const std::string told = listener_->receive();
      ASSERT_EQ(told.rfind("child ", 0), 0U) << told;
      child_ = std::atoi(told.c_str() + std::strlen("child "));
    }
    ASSERT_EQ(listener_->receive(), "begun");
    ASSERT_EQ(caller_->receive(), "begun");
  }

  // If both processes are stopped first, both die in the state of that moment. Otherwise one
  // process may see the other's death.
  Estate kill_both(bool stopped) {
    if (stopped) {
      listener_->stop();
      caller_->stop();
    }
    const Estate estate = estate_of({listener_->pid(), caller_->pid()});
    EXPECT_EQ(names_of(qualifier_).empty(), !has_name()) << names_of(qualifier_);
    ::kill(caller_->pid(), SIGKILL);
    listener_->kill();
    caller_->kill();
    return estate;
  }

  // Whether the qualifier has a socket name. Over TCP a qualifier that is a port has none.
  bool has_name() const {
    return std::string(GetParam().ways) != "tcp" || GetParam().long_qualifier;
  }

  void expect_no_names(const Estate& estate) {
    EXPECT_EQ(lines_of("/proc/net/unix", 6, estate.sockets), "");
    EXPECT_EQ(lines_of("/proc/net/tcp", 9, estate.sockets), "");
    EXPECT_EQ(lines_of("/proc/net/tcp6", 9, estate.sockets), "");
    EXPECT_EQ(names_of(qualifier_), "");
    // The next service point must be able to take the qualifier.
    const Variable transport("DATUM_TRANSPORT", GetParam().ways);
    const Ia ia = open_ia();
    const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
    create_psp(ia, std::strtoull(qualifier_.c_str(), nullptr, 10), evd);
  }

  static void expect_no_memory(const Estate& estate) {
    EXPECT_TRUE(estate.files.empty()) << *estate.files.begin();
    const Estate now = estate_of_everybody();
    for (const auto& memory : estate.memory)
      EXPECT_FALSE(now.memory.contains(memory)) << "a memfd, inode " << memory.second;
    for (const ino_t socket : estate.sockets)
      EXPECT_FALSE(now.sockets.contains(socket)) << "a socket, inode " << socket;
  }

  void die(bool has_child, unsigned microseconds, bool stopped) {
    const Temporary temporary;
    const std::set<std::string> named = entries("/dev/shm");
    bring_to_life(has_child);
    if (HasFatalFailure()) return;
    ::usleep(microseconds);
    const Estate estate = kill_both(stopped);
    EXPECT_GE(estate.sockets.size(), 2U);
    expect_no_names(estate);
    if (has_child) {
      EXPECT_EQ(::kill(child_, 0), 0) << "it has not lived on";
      listener_.reset(); // closes the pipe for commands, so that the child ends
      EXPECT_EQ(waitpid(child_, nullptr, 0), child_);
    }
    expect_no_memory(estate);
    EXPECT_EQ(entries("/dev/shm"), named);
    EXPECT_TRUE(fs::is_empty(temporary.path()));
    listener_.reset();
    caller_.reset();
  }

 private:
  std::optional<PeerProcess> listener_;
  std::optional<PeerProcess> caller_;
  std::string qualifier_;
  pid_t child_ = 0;
};

// Rules: PROTECT.9
TEST_P(TwoDead, LeaveNothingBehind) {
  std::minstd_rand engine(static_cast<unsigned>(GetParam().fate) + 1);
  const int deaths = run_long() ? 100 : 2;
  for (int death = 0; death < deaths && !HasFailure(); ++death)
    die(false, static_cast<unsigned>(engine() >> 8U) % 3000, death % 2 == 0);
}

// Rules: PROTECT.9
TEST_P(TwoDead, WithAChildThatLivesOnLeaveNoNameAndThenNothing) {
  std::minstd_rand engine(static_cast<unsigned>(GetParam().fate) + 2);
  const int deaths = run_long() ? 30 : 1;
  for (int death = 0; death < deaths && !HasFailure(); ++death)
    die(true, static_cast<unsigned>(engine() >> 8U) % 3000, death % 2 == 0);
}

std::vector<Ways> all_ways() {
  std::vector<Ways> found;
  for (const Fate fate : kFates)
    for (const char* ways : {"shm", "tcp"})
      for (const bool long_qualifier : {false, true}) found.push_back({fate, ways, long_qualifier});
  return found;
}

INSTANTIATE_TEST_SUITE_P(While, TwoDead, testing::ValuesIn(all_ways()), [](const auto& one) {
  return std::string(name_of(one.param.fate)) + "Over" + one.param.ways +
         (one.param.long_qualifier ? "Long" : "");
});

} // namespace

} // namespace datum::test
