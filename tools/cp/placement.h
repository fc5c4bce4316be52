// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/placement.h: where the sink puts things, and the things that need no data.
// Lives here: the mapping from offered paths to paths below one folder, folders and symbolic links.
// Not here:   which paths may be offered (offered_names.h), files (partial_file.h), messages
//             (sink.h).
// Every name used here was sent by a peer: nothing is opened but through open_beneath().
#pragma once

#include <sys/stat.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "cp/offered_names.h"
#include "cp/protocol.h"
#include "cp/put_in_place.h"
#include "cp/taken_names.h"

namespace datum::cp {

struct Destination {
  UniqueFd root;           // nothing outside it is touched
  std::string path;        // below root; "" is root itself
  bool into_folder = true; // path is a folder that takes the roots; else it is the root's new name
  Requested requested = std::nullopt; // the roots that may come
  std::string root_name = {};         // as messages call the root; "" is the folder that is served
  // If the path, which this side's user typed, is a symbolic link: where that leads. Throws
  // std::invalid_argument if it leads nowhere. A path that a peer sent has none.
  std::function<Destination()> behind_link = {};
};

using OpenFolder = std::shared_ptr<const UniqueFd>;

// What is at a place, when it was looked at.
struct Look {
  OpenFolder folder; // that contains it; none if there is no such folder
  std::string name;
  bool there = false;
  struct stat st = {};
};

enum class Present { Nothing, Same, Other, Folder, Special }; // a device, a named pipe, a socket

class Placement {
 public:
  static constexpr std::size_t kMostOpen = 8; // folders that stay open

  // Creates the destination folder itself if that is what is missing. Throws FileError.
  Placement(Destination destination, Mode mode, std::size_t most_open = kMostOpen);
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement(); // leaves the folders whose end did not come

  // To be called with the kind of each offer before its place is asked for. What the first one, the
  // root, is decides whether a destination that is a link is followed: as in cp(1) a file or a folder
  // goes where the link leads. A link takes its place, so that the same copy twice does the same.
  void settle_link(Kind kind);
  // Throws std::invalid_argument with the reason if the offered path is not acceptable.
  [[nodiscard]] std::string place(const std::string& offered, Kind kind) const;

  // Throws FileError. A folder stays open for a while: most names come after another one of theirs.
  [[nodiscard]] OpenFolder parent(const std::string& path) const;
  [[nodiscard]] Look look(const std::string& path) const;

  // To be called once for each accepted path, before anything is done there. Replace: something
  // exists there that no other name of this copy leads to. Keep: nothing does, and what appears
  // meanwhile is not ours to replace. Throws FileError, and std::invalid_argument if what exists
  // belongs to another name.
  Existing claim(const std::string& path, const Look& found);

  // What is there already, compared by size, time and mode (file) or by target (link). Any folder is
  // the same as another one.
  [[nodiscard]] static Present present(const Look& found, const Offer& offer);
  // Of a file or folder that is there. What finish_folder() keeps is no difference.
  [[nodiscard]] static bool same_mode_and_time(const Look& found, const Offer& offer);

  // Something could be created in the folder of this path, as far as rights and the file system go.
  // Else errno says why.
  [[nodiscard]] bool takes_names(const std::string& path) const;
  // That folder, as a message calls it.
  [[nodiscard]] std::string folder_text(const std::string& path) const;
  // For a dry run: throws the FileError that a copy would end with here. in_copied: what contains it
  // is copied, too, and is made writable where that may be done.
  void foresee_creation(const Look& found, const std::string& path, bool in_copied) const;
  void foresee_use(const std::string& path) const; // of a folder that is there
  void foresee_end(const std::string& path) const; // of a folder
  // False: it was there, and is writable for its owner until leave_folder(). Throws FileError.
  bool make_folder(const std::string& path, Existing existing = Existing::Replace);
  // Nothing more comes into it: its permissions are what they were.
  void leave_folder(const std::string& path);
  void finish_folder(const std::string& path, std::uint32_t mode, const Time& mtime) const;
  void make_link(const std::string& path, const Offer& offer,
                 Existing existing = Existing::Replace) const;

 private:
  struct Opened { // a folder that was made writable: which one it is, and its permissions before
    dev_t device = 0;
    ino_t inode = 0;
    mode_t before = 0, meanwhile = 0;
  };

  [[nodiscard]] OpenFolder folder_of(const std::string& path) const; // none, with errno
  // Throws FileError, as make_destination() does, if what is there is no folder.
  static void require_folder(const Look& found, const std::string& path);
  bool create_folder(const std::string& path, Existing existing, mode_t mode);
  // Throws FileError. What is there.
  [[nodiscard]] UniqueFd open_folder(const std::string& path, struct stat& st) const;
  void make_destination();
  void make_writable(int folder, const std::string& path, const struct stat& st);
  void restore(const std::string& path, const Opened& opened) const noexcept;

  Destination destination_;
  std::size_t most_open_;
  mutable std::deque<std::pair<std::string, OpenFolder>> open_; // the one used last comes first
  std::map<std::string, TakenNames, std::less<>> taken_; // of each folder that things come into
  std::map<std::string, Opened> opened_; // of the folders that were offered and not left
};

} // namespace datum::cp
