/** Submodules of the package, as src/index.ts lists them, for bundles, projen, the reference and the properties: Node, tsx and jest load it. */
'use strict';

exports.submodulesIn = (index) => (
  [...index.matchAll(/^export \* as (\w+) from '\.\/constructs\/([^']+)';$/gm)].map(([, name, folder]) => ({ name, folder })));
