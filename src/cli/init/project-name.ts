/** Names of projects, which are also names of packages and of Kubernetes objects. */
import path from 'node:path';

const LONGEST = 40;

/** The rule that a name violates; undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  return /^[a-z][a-z0-9-]*$/.test(name) && !name.endsWith('-') && name.length <= LONGEST ? undefined
    : `It must have lower-case letters, digits and '-', begin with a letter, end with a letter or digit, and have at most ${LONGEST} characters.`;
}

/** The name of a project from that of its folder. */
export function nameOfFolder(folder: string): string {
  return path.basename(path.resolve(folder)).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-0-9]+/, '').slice(0, LONGEST).replace(/-$/, '') || 'jobs';
}
