/** A rule of the diagnosis: a pure function that knows one family of causes. */
import type { Cause } from '../diagnosis';
import type { JobSnapshot } from '../snapshot';

/** Finds its causes in a snapshot; none when it is not to blame. */
export type DiagnosisRule = (snapshot: JobSnapshot) => readonly Cause[];
