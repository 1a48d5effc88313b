# The application of a SparkApplication: each task that Spark runs is the agent of one replica, which starts the user's command.
import os
import queue
import secrets
import socket
import struct
import sys
import threading
import time
from multiprocessing.connection import Client, Listener, answer_challenge, deliver_challenge

from pyspark.sql import SparkSession

from ..launched.plan import load_plan, members_of, program_of
from ..launched.policy import JobFailed
from ..launched.program import Program, environment_of
from ..launched.supervisor import News, names_of, say, supervise

# Seconds in which a connection has to show the key.
STRANGER_SECONDS = 10


def container_of_task():
    """Folder in /proc of the process that has the container's environment: the furthest parent of this worker of Python's that has it."""
    found, process = '/proc/self/', os.getppid()
    while process > 0:
        folder = '/proc/%d/' % process
        try:
            if 'TRAINYARD_LAUNCH_STATE' in environment_of(folder):
                found = folder
            with open(folder + 'stat') as file:
                process = int(file.read().rpartition(')')[2].split()[1])
        except OSError:
            break
    return found


def own_address():
    return os.environ.get('SPARK_EXECUTOR_POD_IP') or socket.gethostbyname(socket.gethostname())


def serve(ordinal, plan, address, key):
    """The task: starts and stops one replica's program as the driver says, until the driver has no more use for it."""
    folder, member = container_of_task(), members_of(plan)[ordinal]
    program = Program(environment_of(folder))
    if 'OMP_NUM_THREADS' not in plan['groups'][member.group]['inherited']:
        # Spark limits programs to the cores that it counts for them, which is one here.
        program.base.pop('OMP_NUM_THREADS', None)
    while program.is_terminating():
        # This pod is going: the replica is for another one, to which Spark takes the task when it is gone.
        time.sleep(1)
    with Client(address, authkey=key) as driver:
        driver.send((ordinal, 'here', own_address()))
        runs = False
        while True:
            try:
                if driver.poll(0 if runs else 0.5):
                    order, content = driver.recv()
                    if order == 'start':
                        command, env = program_of(plan, member, content[0], content[1], program.base)
                        program.start(command, env, os.readlink(folder + 'cwd'))
                        runs = True
                    elif order == 'stop':
                        threading.Thread(target=program.stop, args=(content,), daemon=True).start()
                    elif order == 'leave':
                        raise RuntimeError('the pod of replica %d is being deleted' % ordinal)
                    else:
                        return
                if runs:
                    lines, code = program.poll(0.25)
                    runs = code is None
                    if lines or not runs:
                        driver.send((ordinal, 'news', (lines, code, code is not None and program.is_terminating())))
            except (EOFError, ConnectionError):
                program.stop(plan['graceSeconds'])
                return


def limit_silence(connection, seconds):
    """Ends a wait for the other side after some seconds; 0 is no limit."""
    with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('ll', seconds, 0))


class SparkExecutors:
    """The replicas' agents, each in an executor of its own."""

    def __init__(self, plan, members, context):
        self.plan, self.members, self.inbox, self.agents, self.places = plan, members, queue.Queue(), {}, {}
        key = secrets.token_bytes(32)
        self.key, self.listener = key, Listener(('0.0.0.0', 0), backlog=len(members))
        address = (context.getConf().get('spark.driver.host'), self.listener.address[1])
        tasks = context.parallelize(range(len(members)), len(members))
        self.run(lambda: tasks.foreachPartition(lambda rows: [serve(ordinal, plan, address, key) for ordinal in rows]))
        threading.Thread(target=self.accept, daemon=True).start()

    def run(self, job):
        def keep():
            try:
                job()
            except Exception as error:
                self.inbox.put((None, 'ended', str(error)))
        self.job = threading.Thread(target=keep, daemon=True)
        self.job.start()

    def accept(self):
        while True:
            try:
                agent = self.listener.accept()
            except OSError:
                # It is gone before it was accepted.
                time.sleep(0.1)
                continue
            threading.Thread(target=self.listen, args=(agent,), daemon=True).start()

    def listen(self, agent):
        try:
            # In this thread, so that a silent client does not block the next connection.
            limit_silence(agent, STRANGER_SECONDS)
            deliver_challenge(agent, self.key)
            answer_challenge(agent, self.key)
            limit_silence(agent, 0)
        except Exception:
            # Somebody without the key.
            agent.close()
            return
        try:
            ordinal, _, address = agent.recv()
            self.inbox.put((ordinal, 'here', (agent, address)))
            while True:
                _, what, content = agent.recv()
                self.inbox.put((ordinal, what, (agent, content)))
        except (EOFError, OSError):
            self.inbox.put((ordinal, 'gone', (agent, None)))

    def receive(self, seconds):
        """What agents have said, after at most some seconds: pairs of a replica's number and its news."""
        found = []
        try:
            message = self.inbox.get(timeout=seconds)
            while True:
                ordinal, what, content = message
                if what == 'ended':
                    raise JobFailed('Spark gave up its tasks: %s' % content)
                agent, content = content
                if what == 'here':
                    self.agents[ordinal], self.places[ordinal] = agent, content
                elif self.agents.get(ordinal) is agent:
                    if what == 'gone':
                        self.forget(ordinal)
                    found.append((ordinal, content))
                message = self.inbox.get_nowait()
        except queue.Empty:
            return found

    def forget(self, ordinal):
        self.places.pop(ordinal, None)
        agent = self.agents.pop(ordinal, None)
        if agent is not None:
            agent.close()

    def tell(self, member, order, content=None):
        try:
            self.agents[member.ordinal].send((order, content))
        except (KeyError, OSError):
            pass

    def place_all(self):
        reminder = time.monotonic() + 60
        while len(self.places) < len(self.members):
            self.receive(1)
            if time.monotonic() > reminder:
                say('waiting for executors for %s' % names_of([member for member in self.members if member.ordinal not in self.places]))
                reminder += 60

    def look_for(self, member):
        return member.ordinal in self.places

    def address_of(self, member):
        return self.places[member.ordinal]

    def start(self, member, attempt):
        addresses = {other.name: self.places[other.ordinal] for other in self.members if other.ordinal in self.places}
        self.tell(member, 'start', (addresses, attempt))

    def watch(self, members, seconds):
        running = {member.ordinal: member for member in members}
        news = []
        for ordinal, content in self.receive(min(seconds, 0.25)):
            member = running.get(ordinal)
            if member is not None and content is None:
                news.append(News(member, [], 137, True, '%s was lost with its executor' % member.name))
            elif member is not None:
                lines, code, terminating = content
                news.append(News(member, lines, code, terminating))
        # One that was lost between its start and now.
        return news + [News(member, [], 137, True, '%s was lost with its executor' % member.name) for member in members
                       if member.ordinal not in self.agents and not any(entry.member is member for entry in news)]

    def leave(self, member):
        self.tell(member, 'leave')
        self.forget(member.ordinal)

    def stop(self, members):
        for member in members:
            self.tell(member, 'stop', self.plan['graceSeconds'])
        return self.plan['graceSeconds'] if members else 0

    def end(self):
        for member in self.members:
            self.tell(member, 'end')
        self.job.join(10)


def main():
    plan = load_plan(os.path.dirname(os.path.abspath(__file__)))
    members = members_of(plan)
    session = SparkSession.builder.getOrCreate()
    executors = SparkExecutors(plan, members, session.sparkContext)
    code = supervise(plan, members, executors)
    executors.end()
    session.stop()
    return code


if __name__ == '__main__':
    sys.exit(main())
