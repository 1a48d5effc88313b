/**
 * Whether two values are the same once they are JSON: fields without a value are absent, and in lists they are null. Copies nothing, so that a
 * comparison that is made at each pass over each object costs next to nothing.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    // NaN and infinities become null; a function would become nothing. Statuses hold neither.
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && left.length === right.length
      && left.every((item, index) => isSameJson(item ?? null, right[index] ?? null));
  }
  const [one, other] = [left as { [field: string]: unknown }, right as { [field: string]: unknown }];
  let fields = 0;
  for (const field of Object.keys(one)) {
    if (one[field] !== undefined) {
      fields++;
      if (other[field] === undefined || !isSameJson(one[field], other[field])) {
        return false;
      }
    }
  }
  for (const field of Object.keys(other)) {
    if (other[field] !== undefined) {
      fields--;
    }
  }
  return fields === 0;
}
