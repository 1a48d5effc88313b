# The plan of a job: what one replica's program finds in its environment and how its command reads, as a kubelet would have written them.
import json
import os
import re

REFERENCE = re.compile(r'\$\$|\$\(([^)]*)\)')
ADDRESS = re.compile(r'<([a-z0-9-]+-[0-9]+)>(:?)')


def load_plan(folder):
    with open(os.path.join(folder, 'plan.json')) as file:
        return json.load(file)


class Member:
    """One replica of the job: ROLE-INDEX, the number of its group, its own number in its template, and its number among all."""

    def __init__(self, name, group, position, ordinal):
        self.name, self.group, self.position, self.ordinal = name, group, position, ordinal


def members_of(plan):
    members = []
    for number, group in enumerate(plan['groups']):
        for index in range(group['replicas']):
            members.append(Member('%s-%d' % (group['name'], index), number, group['first'] + index, len(members)))
    return members


def text_at(segments, position):
    """What a variable is in the replica at a position; None where it has none. Numbers among the parts count from the position on."""
    for first, last, parts in segments:
        if first <= position <= last:
            return None if parts is None else ''.join(part if isinstance(part, str) else str(position + part) for part in parts)
    return None


def with_addresses(text, addresses):
    def address(match):
        found = addresses.get(match.group(1))
        if found is None:
            return match.group(0)
        # Before a port, an address with colons of its own stands in brackets.
        return ('[%s]' % found if ':' in found and match.group(2) else found) + match.group(2)
    return ADDRESS.sub(address, text)


def addressed(plan):
    """Names of replicas whose address others are told."""
    return {match.group(1) for match in ADDRESS.finditer(json.dumps(plan['groups']))}


def expand(text, known):
    """$(NAME) as a kubelet reads it."""
    return REFERENCE.sub(lambda match: '$' if match.group(0) == '$$' else known.get(match.group(1), match.group(0)), text)


def program_of(plan, member, addresses, attempt, base):
    """Command and environment of a replica's program. base is the environment of its container."""
    group = plan['groups'][member.group]
    env = dict(base)
    for name, segments in group['absent']:
        if text_at(segments, member.position) is None:
            env.pop(name, None)
    known = {name: env[name] for name in (env if group['refersToAll'] else group['inherited']) if name in env}
    for name, segments in group['variables']:
        text = str(attempt) if name == plan['attemptVariable'] else text_at(segments, member.position)
        if text is not None:
            env[name] = known[name] = expand(with_addresses(text, addresses), known)
    return [expand(word, known) for word in group['command']], env
