# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by scripts/install.sh and scripts/uninstall.sh: the record of an installation, and the
# owner of a file. Sourced, with destdir and prefix set.
#
# The record is in the installation, as PREFIX/share/datum/installed.txt. Its paths are without
# DESTDIR. It has these lines:
#   dir PATH       a directory that did not exist before
#   file PATH      a file or a link
#   sum SUM PATH   its state when it was installed: sha256 of a file, ->TARGET of a link. Records of
#                  older versions have no such line. While a second installation is under way, a
#                  path
#                  has two.
record=$prefix/share/datum/installed.txt
export LC_ALL=C # the same order for sort and comm

check_prefix() { # name of the command
  case "$prefix" in
    *$'\n'* | *\\*) echo "$1: PREFIX=\"$prefix\": no line break and no backslash, please" >&2; exit 2 ;;
    /*) ;;
    *) echo "$1: PREFIX=\"$prefix\": an absolute path is needed, such as /usr/local" >&2; exit 2 ;;
  esac
  if [ "$destdir$prefix" -ef "$(dirname "${BASH_SOURCE[0]}")/.." ]; then
    echo "$1: PREFIX=\"$prefix\": that is this source tree; give another" >&2
    exit 2
  fi
}

# Fills recorded_sums[PATH] (sums separated by a blank) and recorded_dirs[PATH].
declare -A recorded_sums=() recorded_dirs=()
read_record() { # file
  local kind rest
  while read -r kind rest; do
    case "$kind $rest" in
      "file $record") ;; # records of older versions have this line
      "file /"*) recorded_sums[$rest]=${recorded_sums[$rest]-} ;;
      "sum "*" /"*) recorded_sums[${rest#* }]+=" ${rest%% *}" ;;
      "dir /"*) recorded_dirs[$rest]=yes ;;
    esac
  done <"$1"
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# Reads paths on standard input. Prints "SUM PATH" for each that is a file or a link below the
# folder.
sums_below() { # folder
  local path files=()
  while read -r path; do
    if [ -L "$1$path" ]; then
      printf -- '->%s %s\n' "$(readlink -- "$1$path")" "$path"
    elif [ -f "$1$path" ]; then
      files+=(".$path")
    fi
  done
  [ ${#files[@]} -eq 0 ] && return
  (cd "${1:-/}" && sha256sum -- "${files[@]}") | sed 's/^\([0-9a-f]*\)  \./\1 /'
}

# Reads recorded paths on standard input. Prints those that were changed since.
changed_since() {
  local sum path
  sums_below "$destdir" | while read -r sum path; do
    [ -z "${recorded_sums[$path]}" ] || [[ " ${recorded_sums[$path]} " == *" $sum "* ]] || echo "$path"
  done
}

# Fills owner[PATH] for paths that a package owns, if dpkg is there. With DESTDIR, DESTDIR's own
# packages count.
declare -A owner=()
find_owners() { # path...
  local database=/var/lib/dpkg line path asked=()
  [ -n "$destdir" ] && database=$destdir$database
  [ $# -gt 0 ] && [ -d "$database" ] && command -v dpkg-query >/dev/null || return 0
  # If /lib is a link to /usr/lib, a package may name either path.
  for path in "$@"; do asked+=("$path" "${path#/usr}"); done
  while read -r line; do
    case "$line" in "diversion by "*) continue ;; esac
    path=/${line#*: /}
    owner[$path]=${line%%: /*}
    owner[/usr$path]=${line%%: /*}
  done < <(dpkg-query --admindir="$database" --search -- "${asked[@]}" 2>/dev/null)
}

list_paths() { # path...: not more than anybody reads
  local path
  for path in "${@:1:20}"; do
    echo "  $destdir$path${owner[$path]+ (package ${owner[$path]})}"
  done
  [ $# -le 20 ] || echo "  and $(($# - 20)) more"
}

# True: programs find the libraries of this folder through the loader's cache, which is renewed for
# them.
in_loader_cache() { # folder
  local folder
  [ -z "$destdir" ] && [ -d "$1" ] || return 1
  # -N -X: changes nothing, and prints the folders.
  while IFS=: read -r folder _; do
    [ "$folder" -ef "$1" ] && return 0
  done < <(PATH=$PATH:/sbin:/usr/sbin ldconfig -N -X -v 2>/dev/null | grep '^/')
  return 1
}

renew_loader_cache() {
  if [ "$(id -u)" -eq 0 ]; then
    PATH=$PATH:/sbin:/usr/sbin ldconfig
  else
    echo "for the loader to know of it, run as root: ldconfig"
  fi
}

# Removes the recorded files of a list. A file that was changed since stays, because it belongs to
# the user. $removed counts the removed files.
removed=0
remove_recorded() { # list
  local path changed
  mapfile -t changed < <(changed_since <"$1")
  while read -r path; do
    [ -n "$path" ] && exists "$destdir$path" || continue
    rm -f -- "$destdir$path"
    removed=$((removed + 1))
  done < <(comm -23 "$1" <(printf '%s\n' "${changed[@]}" | sort))
  [ ${#changed[@]} -eq 0 ] && return
  find_owners "${changed[@]}"
  echo "left, since changed after make install; remove them if nobody needs them:"
  list_paths "${changed[@]}"
}

# Removes the deepest directories first. A directory that contains a foreign file stays.
remove_empty() { # sorted list
  local path
  sort -r "$1" | while read -r path; do
    [ -z "$path" ] || rmdir --ignore-fail-on-non-empty -- "$destdir$path" 2>/dev/null || true
  done
}
