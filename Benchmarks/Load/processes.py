"""A private Postgres, a LearnTrack server on it, and the CPU time and memory they use."""
import atexit
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

LOAD = pathlib.Path(__file__).resolve().parent
ROOT = LOAD.parent.parent
PASSWORD = "un mot de passe de mesure"
PROGRAM = "script/" + pathlib.Path(sys.argv[0]).name
TICK = os.sysconf("SC_CLK_TCK")


def need(programs):
    """Installs the Debian packages of the programs that are missing."""
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if missing:
        sudo = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run(sudo + ["apt-get", "update", "-qq"], check=True, stdout=sys.stderr)
        subprocess.run(sudo + ["apt-get", "install", "-y", "-qq"] + missing, check=True, stdout=sys.stderr)


def release_binary():
    need({"swift": "swift"})
    subprocess.run(["swift", "build", "-c", "release", "--product", "learntrack"], cwd=ROOT, check=True, stdout=sys.stderr)
    return ROOT / ".build" / "release" / "learntrack"


def postgres_programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    if shutil.which("initdb"):
        return pathlib.Path(shutil.which("initdb")).parent
    sys.exit(f"{PROGRAM}: no Postgres found; install postgresql")


class Postgres:
    """A private cluster on a Unix socket. By default it does not wait for the disk."""

    def __init__(self, settings="-c fsync=off"):
        self.bin = postgres_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lt-bench-", dir="/tmp"))
        self.user = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        self.run("initdb", "-D", self.folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        options = f"-k {self.folder} -c listen_addresses= -c max_connections=200 -c shared_buffers=256MB {settings}"
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", options, "start")
        atexit.register(self.stop)
        self.run("createdb", "-h", self.folder, "-U", "postgres", "learntrack")
        self.url = f"host={self.folder} user=postgres dbname=learntrack"

    def run(self, program, *arguments):
        command = self.user + [str(self.bin / program)] + [str(argument) for argument in arguments]
        subprocess.run(command, check=True, cwd="/tmp", stdout=subprocess.DEVNULL)

    def psql_command(self, *arguments):
        return [str(self.bin / "psql"), self.url, "-qtAX", "-v", "ON_ERROR_STOP=1", *arguments]

    def psql(self, sql=None, file=None, variables=()):
        command = self.psql_command(*(f"-v{name}={value}" for name, value in variables))
        command += ["-c", sql] if sql else ["-f", str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{PROGRAM}: psql: {done.stderr}")
        return done.stdout.strip()

    def end_other_sessions(self):
        """Ends what earlier servers left running."""
        others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        self.psql(f"SELECT count(pg_terminate_backend(pid)) {others}")
        while self.psql(f"SELECT count(*) {others}") != "0":
            time.sleep(0.05)

    def pid(self):
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


class Server:
    """A server on a migrated database. It starts when it is created; `stop` and `start` restart it."""

    def __init__(self, binary, postgres):
        self.binary = binary
        self.log = postgres.folder / "server.log"
        self.environment = dict(os.environ, DATABASE_URL=postgres.url, JWT_SECRET=os.urandom(24).hex())
        self.token = None
        atexit.register(self.stop)

    def command(self, *arguments, text=None):
        subprocess.run(
            [self.binary, *arguments], env=self.environment, cwd=ROOT, check=True, input=text, text=True,
            stdout=subprocess.DEVNULL)

    def migrate(self):
        self.command("migrate", "up")

    def add_account(self, email, role="admin"):
        self.command("user", "add", "--email", email, "--role", role, text=PASSWORD + "\n")

    def start(self, *options, check=True):
        """Starts the server. Without `check` it is not asked whether it is ready, as with a certificate that Python refuses."""
        started = time.monotonic()
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", "0", *options], env=self.environment, cwd=ROOT, stdout=subprocess.PIPE,
                stderr=log, text=True)
        for line in self.process.stdout:
            if line.startswith("LearnTrack ready on "):
                self.url = line.split()[-1]
                break
        else:
            sys.exit(f"{PROGRAM}: the server did not start; its log: " + self.log.read_text()[-4000:])
        if check:
            urllib.request.urlopen(self.url + "/health/ready").read()
        self.first_answer = time.monotonic() - started
        self.port = int(self.url.rsplit(":", 1)[1])

    def sign_in(self, email):
        return self.call("auth.login", email=email, password=PASSWORD)["access_token"]

    def call(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url + "/rpc", body, {"Content-Type": "application/json"})
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
        if "result" not in answer:
            sys.exit(f"{PROGRAM}: {method} was refused: {answer}")
        return answer["result"]

    def reset_peak_memory(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def memory(self, key="VmHWM"):
        """Resident memory in MB (10^6 bytes): VmHWM is the peak, VmRSS the present value."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith(key))

    def stop(self, signal_number=signal.SIGTERM):
        process = getattr(self, "process", None)
        if process and process.poll() is None:
            process.send_signal(signal_number)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cpu(pid):
    """CPU seconds of a process and of its children that have ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / TICK


def cpu_of_children(parent):
    """CPU seconds of a process and of all its children."""
    total = cpu(parent)
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat[1]) == parent:
                total += cpu(entry.name)
    return total


class ForeignLoad:
    """How many cores other programs use on average: they share the machine and distort what is measured meanwhile."""

    def __init__(self, server, postgres):
        self.server, self.postgres = server, postgres
        self.reset()

    def reset(self):
        self.since, self.all, self.ours = time.monotonic(), self.busy(), self.own()

    def busy(self):
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return (sum(fields) - fields[3] - fields[4]) / TICK  # all but idle and waiting for the disk

    def own(self):
        return cpu(self.server.process.pid) + cpu_of_children(self.postgres.pid()) + cpu(os.getpid())

    def cores(self):
        return max(0, self.busy() - self.all - self.own() + self.ours) / (time.monotonic() - self.since)

    def wait_for_quiet(self, limit=0.15):
        """Returns when other programs have used less than `limit` cores for two seconds."""
        while True:
            self.reset()
            time.sleep(2)
            if self.cores() < limit:
                return
