#!/bin/sh
# Applies the components of the platform in the order of components.txt, and waits in between. Needs kubectl, and kustomize 5 with helm 3.
# Arguments are handed to kubectl, such as --context=kind-ml.
set -eu
cd "$(dirname "$0")"

deploy() {
  folder=$1
  shift
  echo "== $folder"
  built=$(mktemp)
  kustomize build --enable-helm "$folder" > "$built"
  tries=0
  until kubectl apply --server-side --force-conflicts -f "$built" "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge 10 ]; then
      echo "$folder could not be applied" >&2
      exit 1
    fi
    sleep "${RETRY_SECONDS:-6}"
  done
  kubectl get -f "$built" --no-headers -o custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name "$@" > "$built.list"
  # Not by the standard input, which is kubectl's.
  while read -r kind namespace name <&4; do
    case $kind in
      CustomResourceDefinition) kubectl wait --for=condition=Established --timeout=2m "crd/$name" "$@" ;;
      Deployment) kubectl rollout status --timeout=10m -n "$namespace" "deployment/$name" "$@" ;;
    esac
  done 4< "$built.list"
  rm -f "$built" "$built.list"
}

while read -r component <&3; do
  deploy "$component" "$@"
done 3< components.txt
