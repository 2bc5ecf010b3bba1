# The guard of one host process: reads what the host starts and ends, and at the end of the input,
# that is when the host is gone, ends what is left. Its protocol is described in guard/mod.rs.
# Arguments: the text that every mark of this host begins with; from a guard that could not go on also
# its phase, how often that happened, whether a server was dropped, and its servers.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP TTIN TTOU
# Descriptors that the host itself inherited must not be held open by us.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
mark=$1
phase=${2:-read}
tries=${3:-0}
dropped=${4:-}
scan=
live=
if [ $# -gt 4 ]; then
  shift 4
  for entry; do
    n=${entry%%:*}
    entry=${entry#*:}
    live="$live $n"
    eval "group_$n=${entry%%:*} reaped_$n=${entry#*:}"
  done
fi

# A shell that cannot fork exits. By then a server may have used up all processes, so without a fork
# the groups are killed, and a new shell in this place goes on. It cannot wait without a fork either,
# so the number of tries is what bounds it: some tens of seconds.
again() {
  if [ "$phase" = done ] || [ "$tries" -ge 20000 ]; then return; fi
  if [ "$phase" = end ]; then groups KILL; fi
  set --
  for n in $live; do eval "set -- \"\$@\" \"$n:\${group_$n:-}:\${reaped_$n:-}\""; done
  exec /bin/sh -c 'eval "$HERMES_MCP_GUARD"' "$0" "$mark" "$phase" $((tries + 1)) "$dropped" "$@"
}
trap again EXIT

# Some small greps stop at a zero byte, so the way to search is tried out first. The other way is to
# print all environments with a headline each.
prepare() {
  [ -z "$scan" ] || return
  scan=none
  [ -r /proc/self/environ ] || return
  scan=joined
  if printf 'a\0%s' "$mark" | grep -qaF -e "$mark"; then scan=all; fi
}

# Sets pids to the processes whose environment holds $1.
marked() {
  pids=
  files=
  if [ "$scan" = all ]; then
    files=$(grep -slaF -e "$1" /proc/[0-9]*/environ)
    # The list of processes was too long for one command.
    if [ $? -ge 126 ]; then
      files=$(printf '%s\n' /proc/[0-9]*/environ | xargs grep -slaF -e "$1")
    fi
  fi
  if [ "$scan" = joined ]; then
    files=$(tail -n +1 /proc/[0-9]*/environ | tr '\0' '\n' | grep -F -e '==> /proc/' -e "$1" |
      while read -r word name rest; do
        case $word in
        '==>') file=$name ;;
        *) echo "$file" ;;
        esac
      done)
  fi
  for file in $files; do
    file=${file#/proc/}
    pids="$pids ${file%%/*}"
  done
}

pause() {
  sleep 0.1 || sleep 1
}

# Sends $1 to the group of each server, unless its number has become another's.
groups() {
  for n in $live; do
    eval "group=\${group_$n:-} reaped=\${reaped_$n:-}"
    if [ -z "$group" ] || [ "$group" -le 1 ]; then continue; fi
    if [ -n "$reaped" ] && kill -0 "$group"; then continue; fi
    kill "-$1" "-$group" && busy=1
  done
}

forget() {
  rest=
  for n in $live; do
    if [ "$n" != "$1" ]; then rest="$rest $n"; fi
  done
  live=$rest
  unset "group_$1" "reaped_$1"
}

# Kills what carries the mark of server $1; its group was killed by the host. It runs beside the
# reading of the input, which must not wait.
end_one() {
  pass=0
  quiet=0
  while [ "$pass" -lt 20 ] && [ "$quiet" -lt 2 ]; do
    marked "$mark$1."
    quiet=$((quiet + 1))
    for pid in $pids; do kill -KILL "$pid" && quiet=0; done
    pass=$((pass + 1))
    if [ "$quiet" -lt 2 ]; then pause; fi
  done
}

# Sixteen passes with TERM, about two seconds, then fifty with KILL; three passes that find nothing
# end it, since a process is not found while it is between two programs.
end_all() {
  prepare
  pass=0
  quiet=0
  asked=' '
  while [ "$pass" -lt 66 ] && [ "$quiet" -lt 3 ]; do
    busy=
    if [ "$pass" -eq 0 ]; then
      groups TERM
    elif [ "$pass" -lt 16 ]; then
      groups 0
    elif [ "$pass" -lt 20 ]; then
      groups KILL
    fi
    marked "$mark"
    for pid in $pids; do
      busy=1
      if [ "$pass" -ge 16 ]; then
        kill -KILL "$pid"
      else
        case $asked in
        *" $pid "*) ;;
        *) kill -TERM "$pid"; asked="$asked$pid " ;;
        esac
      fi
    done
    quiet=$((quiet + 1))
    if [ -n "$busy" ]; then quiet=0; fi
    pass=$((pass + 1))
    if [ "$quiet" -lt 3 ]; then pause; fi
  done
}

while IFS=' ' read -r verb n group; do
  case $verb in
  0) live= ;;
  +) live="$live $n" ;;
  =) eval "group_$n=\$group" ;;
  r) eval "reaped_$n=1" ;;
  -) forget "$n" ;;
  k)
    dropped=$n
    forget "$dropped"
    prepare
    end_one "$dropped" </dev/null &
    ;;
  esac
done
phase=end
if [ -n "$live$dropped" ]; then end_all; fi
phase=done
