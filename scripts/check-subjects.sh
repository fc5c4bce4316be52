#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whether the subjects of commits say in 72 characters what a commit does, as CONTRIBUTING.md has it:
#   scripts/check-subjects.sh [FILE]   FILE (.ci/subjects-since) names the commit behind which they are checked
# Merges are not checked. That a verb is in the imperative is seen by its form only: a capital letter, and no
# "-ed", "-ing" or "-s" at its end. Exit 4: there is no history here, or that commit is not in it.
set -euo pipefail
[ "${1-}" != --help ] || { sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0; }
file=${1:-$(dirname "$0")/../.ci/subjects-since}
since=$(grep -v '^#' "$file")
if ! git merge-base --is-ancestor "$since" HEAD 2>/dev/null; then
  echo "subjects: $since, which $file names, is not in the history here" >&2
  exit 4
fi
git log --no-merges --format='%h %s' "$since"..HEAD | awk '
  function wrong(why) { print "subject of " commit ": " why ": " subject; ++bad }
  {
    commit = $1
    subject = substr($0, length($1) + 2)
    verb = $2
    if (length(subject) > 72) wrong(length(subject) " characters, 72 at most")
    if (subject ~ /\.$/) wrong("a full stop at its end")
    if (verb !~ /^[A-Z][a-z-]+$/) wrong("it begins with no verb")
    else if (verb ~ /(ing|[^eb]ed|[^s]s)$/ && verb !~ /^(Bring|String|Focus|Canvas|Bias)$/) wrong("its verb is not in the imperative")
  }
  END { print "subjects: " NR " commits, " bad + 0 " findings"; exit bad != 0 }'
