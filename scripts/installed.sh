# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What scripts/install.sh and scripts/uninstall.sh both know: the record of an installation, and whose a file is.
# Sourced, with destdir and prefix set.
#
# The record lies with the installation, PREFIX/share/datum/installed.txt. Paths are without DESTDIR. A line each:
#   dir PATH       a directory that was not there before
#   file PATH      a file or a link
#   sum SUM PATH   what it was when it was installed: sha256 of a file, ->TARGET of a link. None in records of older
#                  versions; two while a second installation is under way.
record=$prefix/share/datum/installed.txt
export LC_ALL=C # one order for sort and comm

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

# Fills recorded_sums[PATH] (a blank between two) and recorded_dirs[PATH].
declare -A recorded_sums=() recorded_dirs=()
read_record() { # file
  local kind rest
  while read -r kind rest; do
    case "$kind $rest" in
      "file $record") ;; # so in records of older versions
      "file /"*) recorded_sums[$rest]=${recorded_sums[$rest]-} ;;
      "sum "*" /"*) recorded_sums[${rest#* }]+=" ${rest%% *}" ;;
      "dir /"*) recorded_dirs[$rest]=yes ;;
    esac
  done <"$1"
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# "SUM PATH" for each of the paths, on standard input, that is a file or a link below the folder.
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

# Those of the recorded paths, on standard input, that somebody changed since.
changed_since() {
  local sum path
  sums_below "$destdir" | while read -r sum path; do
    [ -z "${recorded_sums[$path]}" ] || [[ " ${recorded_sums[$path]} " == *" $sum "* ]] || echo "$path"
  done
}

# Fills owner[PATH] for the paths that a package has, if dpkg is there. With DESTDIR its own packages count.
declare -A owner=()
find_owners() { # path...
  local database=/var/lib/dpkg line path asked=()
  [ -n "$destdir" ] && database=$destdir$database
  [ $# -gt 0 ] && [ -d "$database" ] && command -v dpkg-query >/dev/null || return 0
  # Where /lib is a link to /usr/lib, a package may say either.
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

# Whether programs find the libraries of this folder through the loader's cache, which is renewed for them.
in_loader_cache() { # folder
  local folder
  [ -z "$destdir" ] && [ -d "$1" ] || return 1
  # -N -X: changes nothing, and says which folders there are.
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

# Removes the recorded files of a list. What somebody changed since is somebody's: it stays. $removed counts.
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

# The deepest first; a directory with a file of somebody else's stays.
remove_empty() { # sorted list
  local path
  sort -r "$1" | while read -r path; do
    [ -z "$path" ] || rmdir --ignore-fail-on-non-empty -- "$destdir$path" 2>/dev/null || true
  done
}
