/** Types of join-library.mjs, for what is written in TypeScript. */
export function joinLibrary(folder: string): Promise<{ readonly bytes: number; readonly files: number } | undefined>;

/** A compiled file that reads other files at the first use of what they export. @throws Error where that cannot be told from the text */
export function withLazyImports(text: string): string;
