if read -r python < "$1/python"; then "$python" -I -S "$2" "$1" "$3"; fi
shift 3
[ $# -eq 0 ] || exec "$@"
