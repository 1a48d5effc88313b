/** Types of submodules.cjs. */
/** A submodule: `ray`, and its folder below `src/constructs`. */
export interface ListedSubmodule {
  readonly name: string;
  readonly folder: string;
}
export function submodulesIn(index: string): ListedSubmodule[];
