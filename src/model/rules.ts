/** All rules whose findings can be acknowledged, by their ids. */
import { RULES } from './accelerators/rules/rule-list';
import { CHECK_RULES } from './checks/rule-list';
import type { Rule } from './findings';
import { POOL_RULES } from './node-pools/rules/rule-list';
import { STORAGE_RULES, STORE_RULES } from './storage/rule-list';

/** Lists of rules, with a title for people. */
export const RULE_LISTS: readonly { readonly title: string; readonly page?: string; readonly rules: readonly Rule[] }[] = [
  { title: 'Jobs, pods and objects', rules: Object.values(CHECK_RULES) },
  { title: 'Accelerators', page: 'jobs/accelerators.md', rules: Object.values(RULES) },
  { title: 'Node pools', page: 'platform/node-pools.md', rules: Object.values(POOL_RULES) },
  { title: 'Storage', page: 'platform/storage.md', rules: [...Object.values(STORE_RULES), ...Object.values(STORAGE_RULES)] },
];

const BY_ID = new Map(RULE_LISTS.flatMap(({ rules }) => rules).map((rule) => [rule.id, rule]));

export function findRule(id: string): Rule | undefined {
  return BY_ID.get(id);
}

export function ruleIds(): string[] {
  return [...BY_ID.keys()];
}
