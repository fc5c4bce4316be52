// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/placement.h: where the sink puts files, folders and links. It also makes the entries that need
// no data.
// Lives here: the mapping from offered paths to paths below one folder; folders and symbolic links.
// Not here:   which paths may be offered (offered_names.h), files (partial_file.h), messages
//             (sink.h).
// A peer sent every name used here, so everything is opened by open_beneath().
#pragma once

#include <sys/stat.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "cp/file_io.h"
#include "cp/offered_names.h"
#include "cp/protocol.h"
#include "cp/taken_names.h"

namespace datum::cp {

struct Destination {
  UniqueFd root;    // nothing outside it is touched
  std::string path; // below root; "" is root itself
  // true: path is a folder that takes the roots; false: path is the new name of the root
  bool into_folder = true;
  Requested requested = std::nullopt; // the roots that may come
  std::string root_name = {};         // the root's name in messages; "" is the served folder
  // Set if the path, which this side's user typed, is a symbolic link. Returns where the link
  // leads; throws std::invalid_argument if it leads nowhere. A path that a peer sent has no such
  // function.
  std::function<Destination()> behind_link = {};
};

using OpenFolder = std::shared_ptr<const UniqueFd>;

// The result of look().
struct Look {
  OpenFolder folder; // the folder that contains the entry; null: there is no such folder
  std::string name;
  bool there = false;
  struct stat st = {};
};

// Special: a device, a named pipe, a socket
enum class Present { Nothing, Same, Other, Folder, Special };

class Placement {
 public:
  static constexpr std::size_t kMostOpen = 8; // folders that stay open

  // Creates the destination folder if only that folder is missing. Throws FileError.
  Placement(Destination destination, Mode mode, std::size_t most_open = kMostOpen);
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement(); // restores the folders whose end did not come

  // Called with the kind of each offer before place(). The kind of the first offer, the root,
  // decides whether a destination that is a link is followed. As with cp(1), a file or a folder
  // goes to the link's target. A link replaces the link, so that running the same copy twice has
  // the same result.
  void settle_link(Kind kind);
  // Throws std::invalid_argument with the reason if the offered path is not acceptable.
  [[nodiscard]] std::string place(const std::string& offered, Kind kind) const;

  // Throws FileError. The folder stays open for a while, because the next name is mostly in the
  // same folder.
  [[nodiscard]] OpenFolder parent(const std::string& path) const;
  [[nodiscard]] Look look(const std::string& path) const;

  // Called once for each accepted path, before anything is done there. Replace: an entry exists
  // there, and no other name of this copy leads to it. Keep: no entry exists there, and an entry
  // that appears meanwhile must not be replaced. Throws FileError, and throws std::invalid_argument
  // if the entry belongs to another name.
  Existing claim(const std::string& path, const Look& found);

  // Compares the existing entry with the offer: a file by size, time and mode, a link by its
  // target. Two folders are always the same.
  [[nodiscard]] static Present present(const Look& found, const Offer& offer);
  // True: the existing file or folder has the offer's mode and time. The bits that finish_folder()
  // keeps are not compared.
  [[nodiscard]] static bool same_mode_and_time(const Look& found, const Offer& offer);

  // True: rights and the file system allow a new name in this path's folder. Otherwise errno tells
  // why they do not.
  [[nodiscard]] bool takes_names(const std::string& path) const;
  // The folder of this path, as a message names it.
  [[nodiscard]] std::string folder_text(const std::string& path) const;
  // For a dry run. These throw the FileError with which a copy would end here. in_copied: the
  // folder of the path is copied, too, so the copy makes it writable if it may.
  void foresee_creation(const Look& found, const std::string& path, bool in_copied) const;
  void foresee_use(const std::string& path) const;                     // for a folder that is there
  static void foresee_end(const Look& found, const std::string& path); // for a folder
  // False: the folder existed already. Until leave_folder() it is writable for its owner. Throws
  // FileError.
  bool make_folder(const std::string& path, Existing existing = Existing::Replace);
  // Called when nothing more comes into the folder. Restores the folder's old permissions.
  void leave_folder(const std::string& path);
  void finish_folder(const std::string& path, std::uint32_t mode, const Time& mtime) const;
  void make_link(const std::string& path, const Offer& offer,
                 Existing existing = Existing::Replace) const;

 private:
  struct Opened { // a folder that was made writable: its identity and its old permissions
    dev_t device = 0;
    ino_t inode = 0;
    mode_t before = 0, meanwhile = 0;
  };

  [[nodiscard]] OpenFolder folder_of(const std::string& path) const; // null with errno
  // Throws FileError, as make_destination() does, if the existing entry is no folder.
  static void require_folder(const Look& found, const std::string& path);
  bool create_folder(const std::string& path, Existing existing, mode_t mode);
  // Opens an existing folder. Throws FileError.
  [[nodiscard]] UniqueFd open_folder(const std::string& path, struct stat& st) const;
  void make_destination();
  void make_writable(int folder, const std::string& path, const struct stat& st);
  void restore(const std::string& path, const Opened& opened) const noexcept;

  Destination destination_;
  std::size_t most_open_;
  mutable std::deque<std::pair<std::string, OpenFolder>> open_; // the folder used last comes first
  std::map<std::string, TakenNames, std::less<>> taken_; // the names in each folder that gets names
  // folders that were made writable and have not been left yet
  std::map<std::string, Opened> opened_;
};

} // namespace datum::cp
