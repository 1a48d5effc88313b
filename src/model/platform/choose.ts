/** The components of a platform: a preset's, with what the program adds, changes and leaves out. */
import type { PlatformChoice, PlatformComponentSpec } from './spec';
import { presetComponents } from '../catalogue/presets';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

/** Components in the order of the preset, then of the program, and what is wrong with the choice itself. */
export function chooseComponents(choice: PlatformChoice): { readonly components: PlatformComponentSpec[]; readonly violations: Violation[] } {
  const violations = new ViolationCollector();
  const preset = choice.preset === undefined ? [] : presetComponents(choice.preset, choice);
  const names = preset.map(({ name }) => name);
  for (const name of choice.without) {
    if (!names.includes(name)) {
      const why = choice.preset === undefined ? 'is not part of a preset, so it cannot be left out. Remove it.' : `is not in preset '${choice.preset}'.${didYouMean(name, names)}`;
      violations.add('without', name, why);
    } else if (choice.components.some((each) => each.name === name)) {
      violations.add('without', name, 'is both left out and added. Remove one of the two.');
    }
  }
  // What the cluster has already is not installed; a preset cannot know of it.
  const there = new Set([...choice.without, ...choice.existing.map(({ name }) => name)]);
  const own = new Map(choice.components.map((each) => [each.name, each]));
  const kept = preset.filter(({ name }) => !there.has(name)).map((each): PlatformComponentSpec => {
    const mine = own.get(each.name);
    return mine === undefined ? each : { ...each, ...mine, features: [...new Set([...each.features ?? [], ...mine.features ?? []])] };
  });
  const added = choice.components.filter(({ name }) => !kept.some((each) => each.name === name));
  if (kept.length + added.length === 0) {
    violations.add('components', [], 'must be at least one component, or a preset.');
  }
  const twice = choice.components.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) < index);
  twice.forEach((name) => violations.add(`components.${name}`, name, 'is listed twice. Remove one of the two.'));
  const addedOnce = added.filter(({ name }, index) => added.findIndex((each) => each.name === name) === index);
  return { components: [...kept, ...addedOnce], violations: violations.violations };
}
