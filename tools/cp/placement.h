// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/placement.h: where the sink puts things, and the things that need no data.
// Lives here: the mapping from offered paths to paths below one folder, folders and symbolic links.
// Not here:   files (partial_file.h), messages (sink.h).
// Every name used here was sent by a peer: nothing is opened but through open_beneath().
#pragma once

#include <string>

#include "common/unique_fd.h"
#include "cp/protocol.h"

namespace datum::cp {

struct Destination {
  tools::UniqueFd root;    // nothing outside it is touched
  std::string path;        // below root; "" is root itself
  bool into_folder = true; // path is a folder that takes the roots; else it is the root's new name
};

enum class Present { Nothing, Same, Other, Folder };

class Placement {
 public:
  // Creates the destination folder itself if that is what is missing. Throws FileError.
  Placement(Destination destination, Mode mode);

  // Throws std::invalid_argument with the reason if the offered path is not acceptable.
  [[nodiscard]] std::string place(const std::string& offered, Kind kind) const;

  [[nodiscard]] tools::UniqueFd parent(const std::string& path) const; // throws FileError
  [[nodiscard]] tools::UniqueFd
  open_file(const std::string& path) const; // for reading; throws FileError

  // What is there already, compared by size, time and mode (file) or by target (link).
  [[nodiscard]] Present present(const std::string& path, const Offer& offer) const;

  // Something could be created in the folder of this path, as far as rights and the file system go.
  [[nodiscard]] bool takes_names(const std::string& path) const;
  bool make_folder(const std::string& path) const; // false: it was there. Throws FileError
  void finish_folder(const std::string& path, std::uint32_t mode, const Time& mtime) const;
  void make_link(const std::string& path, const Offer& offer) const;

 private:
  Destination destination_;
};

} // namespace datum::cp
