/** Types of join-library.mjs, for what is written in TypeScript. */
export function joinLibrary(folder: string): Promise<{ readonly bytes: number; readonly files: number } | undefined>;
