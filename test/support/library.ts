/** The package by the names that programs import it by. */
import * as library from '../../src';

/** The core and each submodule, by `trainyard` and `trainyard/FOLDER`. */
export const MODULES: { readonly [specifier: string]: { readonly [name: string]: unknown } } = Object.fromEntries(Object.entries(library).reduce(
  (modules, [name, value]) => (/^[a-z]/.test(name)
    ? modules.set(`trainyard/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, { ...value })
    : modules.set('trainyard', { ...modules.get('trainyard'), [name]: value })),
  new Map<string, { readonly [name: string]: unknown }>([['trainyard', {}]]),
));

/** All of them together. */
export const EVERYTHING: { readonly [name: string]: unknown } = Object.assign({}, ...Object.values(MODULES)) as { readonly [name: string]: unknown };
