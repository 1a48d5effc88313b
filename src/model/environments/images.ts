/** References of images, as far as promotion has to know them. */

export interface ImageReference {
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Repository, tag and digest; undefined for what is no reference. A port of the registry is no tag. */
export function tryParseImage(image: string): ImageReference | undefined {
  const match = /^([\w.-]+(?::\d+(?=\/))?(?:\/[\w.-]+)*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(image);
  return match === null ? undefined : { repository: match[1], tag: match[2], digest: match[3] };
}
