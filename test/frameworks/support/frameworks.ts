/**
 * Answers, for a test, whether a framework can be used on this machine and with which interpreter.
 *
 * Reads what `install.ts` wrote; nothing is installed or imported here, so that a test file can ask while it is loaded.
 */
import { existsSync, readFileSync } from 'node:fs';
import { statusFile, type FrameworkName } from './catalogue';
import type { OpensshState } from './openssh';

export type { FrameworkName } from './catalogue';

/** A framework that can be used: the interpreter that imports it, and its version. */
export interface FrameworkFound {
  readonly python: string;
  readonly version: string;
}

/** A framework that cannot be used, and why. */
export interface FrameworkMissing {
  readonly missing: string;
}

/** What is known of one framework. */
export type FrameworkState = FrameworkFound | FrameworkMissing;

/** The status file: what the last installation left for each framework. */
export type FrameworkStatus = Partial<Record<FrameworkName, FrameworkState>> & { readonly openssh?: OpensshState };

/** True when the framework can be used. */
export function isFound(state: FrameworkState): state is FrameworkFound {
  return 'python' in state;
}

/** The result of the last installation; empty when there was none. */
export function readStatus(): FrameworkStatus {
  const file = statusFile();
  if (!existsSync(file)) {
    return {};
  }
  return JSON.parse(readFileSync(file, 'utf8')) as FrameworkStatus;
}

/** The ssh server for MPI, or the reason why there is none. */
export function findOpenssh(): OpensshState {
  const state = readStatus().openssh;
  if (state && 'sshd' in state && !existsSync(state.sshd)) {
    return { missing: `${state.sshd} is gone; run test/frameworks/install.ts` };
  }
  return state ?? { missing: 'never looked for here; run test/frameworks/install.ts' };
}

/**
 * The interpreter of a framework, or the reason why there is none.
 * A test that gets a reason must report itself as skipped, with the framework's name and this reason.
 */
export function findFramework(name: FrameworkName): FrameworkState {
  const state = readStatus()[name];
  if (!state) {
    return { missing: `${name} was never installed here; run test/frameworks/install.ts` };
  }
  if (isFound(state) && !existsSync(state.python)) {
    return { missing: `${name} was installed, but its interpreter ${state.python} is gone; run test/frameworks/install.ts` };
  }
  return state;
}
