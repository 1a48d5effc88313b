groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
  esac
done
# Without --, which dash does not know here.
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
for environ in /proc/[0-9]*/environ; do
  if grep -qs -- "TRAINYARD_PROCESS_TAG=$0/" "$environ"; then
    pid=${environ#/proc/}
    kill -KILL "${pid%/environ}" 2>/dev/null
  fi
done
