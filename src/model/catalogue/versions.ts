/** Versions of components and of Kubernetes: `v1.21.1`, `26.03`, `1.34`, `1.34.2-gke.100`. */

/** The numbers of a version, most significant first; undefined when the text does not begin with one. */
export function tryParseVersion(text: string): readonly number[] | undefined {
  const match = /^v?(\d+(?:\.\d+)*)/.exec(text);
  return match === null ? undefined : match[1].split('.').map(Number);
}

/** Negative when `a` is older, positive when it is newer. Missing numbers are 0. Text without numbers is oldest. */
export function compareVersions(a: string, b: string): number {
  const left = tryParseVersion(a) ?? [];
  const right = tryParseVersion(b) ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** Whether a version is in a range: `from` is in it, `before` is not. */
export function isWithin(version: string, range: { readonly from?: string; readonly before?: string }): boolean {
  const { from, before } = range;
  return (from === undefined || compareVersions(version, from) >= 0) && (before === undefined || compareVersions(version, before) < 0);
}

/** `1.34` of `v1.34.2-gke.100`: patches of Kubernetes are not asked about. */
export function minorOf(version: string): string | undefined {
  const numbers = tryParseVersion(version);
  return numbers === undefined || numbers.length < 2 ? undefined : `${numbers[0]}.${numbers[1]}`;
}
