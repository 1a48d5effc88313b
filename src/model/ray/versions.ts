/** Releases of Ray, and what came with which. */

export type RayVersion = readonly [number, number, number];

/** Oldest Ray whose autoscaler can be of the second version. */
export const AUTOSCALER_V2_SINCE: RayVersion = [2, 10, 0];

/** Oldest Ray whose autoscaler is of the second version unless another is set. */
export const AUTOSCALER_V2_BY_DEFAULT_SINCE: RayVersion = [2, 47, 0];

/** Oldest Ray that asks for tokens. */
export const TOKENS_SINCE: RayVersion = [2, 52, 0];

/** Oldest Ray that lets Kubernetes judge tokens. */
export const KUBERNETES_TOKENS_SINCE: RayVersion = [2, 55, 0];

/** Oldest Ray whose autoscaler knows priorities of groups. */
export const GROUP_PRIORITY_SINCE: RayVersion = [2, 56, 0];

/** The numbers of `2.52.0`, `2.52` or `2.52.0-py311`; undefined when the text is not a version. */
export function tryParseRayVersion(text: string | undefined): RayVersion | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?![\d.])/.exec(text ?? '');
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Whether a version is so old that something is not in it yet. */
export function isBefore(version: RayVersion, since: RayVersion): boolean {
  const index = version.findIndex((part, position) => part !== since[position]);
  return index >= 0 && version[index] < since[index];
}

/** `2.52.0`. */
export function rayVersionText(version: RayVersion): string {
  return version.join('.');
}

/** Version of Ray in an image of the Ray project, such as `rayproject/ray:2.54.0-py311-gpu`; undefined for other images. */
export function rayVersionOfImage(image: string): string | undefined {
  const [, tag] = /(?:^|\/)rayproject\/ray(?:-llm|-ml)?:([^@]+)/.exec(image) ?? [];
  const version = tryParseRayVersion(tag);
  return version && rayVersionText(version);
}
