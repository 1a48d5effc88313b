trainyard_child='' trainyard_early='' trainyard_told=''
trainyard_forward() {
  trainyard_told=$1 trainyard_woken=yes
  if [ -n "$trainyard_child" ]; then kill "-$1" "$trainyard_child" 2>/dev/null; else trainyard_early=$2; fi
}
trap 'trainyard_forward HUP 129' HUP
trap 'trainyard_forward INT 130' INT
trap 'trainyard_forward QUIT 131' QUIT
trap 'trainyard_forward USR1 138' USR1
trap 'trainyard_forward USR2 140' USR2
trap 'trainyard_forward TERM 143' TERM
case $1 in
  *=*) ;;
  *) if env --default-signal=INT,QUIT true 2>/dev/null; then set -- env --default-signal=INT,QUIT "$@"; fi ;;
esac
if [ -n "$trainyard_early" ]; then exit "$trainyard_early"; fi
exec 3<&0
(trap - INT QUIT; exec "$@") <&3 3<&- &
trainyard_child=$!
exec 3<&-
trainyard_code=''
while :; do
  trainyard_woken=''
  wait "$trainyard_child" 2>/dev/null
  trainyard_last=$?
  case $trainyard_last in
    -*|127) if [ -n "$trainyard_code" ]; then break; fi ;;
  esac
  trainyard_code=$trainyard_last
  if [ -z "$trainyard_woken" ]; then break; fi
  case $trainyard_last in
    129|130|131|138|140|143) ;;
    *) kill -0 "$trainyard_child" 2>/dev/null || break ;;
  esac
done
trainyard_child=''
if [ "$trainyard_told" = TERM ] && [ "$trainyard_code" -eq 143 ] && [ "$$" -eq 1 ]; then
  kill -TERM -1 2>/dev/null
  while kill -0 -1 2>/dev/null; do sleep 1; done
fi
exit "$trainyard_code"
