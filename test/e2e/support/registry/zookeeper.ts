import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import type { IssuedFiles } from "../tls/certificates.ts";

/** Short ticks: sessions may be as short as a second, and elections are over in one. Nothing waits for a disk. */
const commonSettings = [
  "tickTime=500",
  "initLimit=20",
  "syncLimit=4",
  "minSessionTimeout=1000",
  "maxSessionTimeout=60000",
  "clientPortAddress=127.0.0.1",
  "admin.enableServer=false",
  "4lw.commands.whitelist=srvr,mntr",
  "forceSync=no",
];

interface Member {
  readonly folder: string;
  readonly port: number;
  /** Of connections with TLS, if there are any. */
  readonly securePort: number | undefined;
  process: Child;
}

/** ZooKeeper servers on loopback: one alone, or three that elect a leader. Needs the peer `zookeeper`. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  readonly #executable: string;
  readonly #folder: string;
  readonly #members: readonly Member[];

  private constructor(executable: string, folder: string, members: readonly Member[]) {
    this.#executable = executable;
    this.#folder = folder;
    this.#members = members;
  }

  /** Resolves when they serve: a second for one, some more for three. */
  static async start(count: 1 | 3 = 1, tls?: IssuedFiles): Promise<ZooKeeperEnsemble> {
    const executable = await peerPath("zookeeper");
    const folder = mkdtempSync(join(tmpdir(), "binnacle-zookeeper-"));
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    const quorum = count === 1 ? [] : await quorumSettings(count);
    const securePorts = tls === undefined ? [] : await Promise.all(Array.from({ length: count }, freePort));
    const members = ports.map((port, index) => {
      const securePort = securePorts[index];
      const home = join(folder, String(index + 1));
      mkdirSync(join(home, "data"), { recursive: true });
      writeFileSync(join(home, "data/myid"), `${index + 1}\n`);
      const secure = tls === undefined ? [] : tlsSettings(home, tls, securePort);
      const settings = [...commonSettings, `clientPort=${port}`, `dataDir=${join(home, "data")}`, ...quorum, ...secure];
      writeFileSync(join(home, "zoo.cfg"), `${settings.join("\n")}\n`);
      return { folder: home, port, securePort, process: new Child(executable, [join(home, "zoo.cfg")], { cwd: home }) };
    });
    const ensemble = new ZooKeeperEnsemble(executable, folder, members);
    await Promise.all(members.map((_, index) => ensemble.#ready(index)));
    return ensemble;
  }

  /** `HOST:PORT` of each. */
  get addresses(): readonly string[] {
    return this.#members.map(({ port }) => `127.0.0.1:${port}`);
  }

  /** The same for connections with TLS. */
  get secureAddresses(): readonly string[] {
    return this.#members.map(({ securePort }) => `127.0.0.1:${securePort}`);
  }

  /** Which of three leads the others. */
  leader(): Promise<number> {
    const find = async () => {
      const modes = await Promise.all(this.#members.map(modeOf));
      return modes.includes("leader") ? modes.indexOf("leader") : undefined;
    };
    return eventually("a leader", find, { seconds: 30 });
  }

  /** How many sessions there are with any of them, however silent their clients. */
  sessions(): Promise<number> {
    const ask = async () => {
      const answers = await Promise.all(this.#members.map((member) => askServer(member, "mntr")));
      const counts = answers.flatMap((answer) => /^zk_global_sessions\t(\d+)$/mu.exec(answer)?.[1] ?? []);
      return counts.length === 0 ? undefined : Math.max(...counts.map(Number));
    };
    return eventually("the number of sessions", ask, { seconds: 30 });
  }

  /** Ends it at once, as the loss of its machine would. */
  async kill(index: number): Promise<void> {
    this.#member(index).process.kill("SIGKILL");
    await this.#member(index).process.exited;
  }

  /** Starts one that was killed, with the data it had. */
  async restart(index: number): Promise<void> {
    const member = this.#member(index);
    member.process = new Child(this.#executable, [join(member.folder, "zoo.cfg")], { cwd: member.folder });
    await this.#ready(index);
  }

  /** Keeps a copy of everything that a killed one has. */
  backup(index: number): void {
    const { folder } = this.#member(index);
    cpSync(join(folder, "data"), join(folder, "backup"), { recursive: true });
  }

  /** Gives a killed one the content of its backup, or none. */
  replace(index: number, content: "backup" | "nothing"): void {
    const { folder } = this.#member(index);
    rmSync(join(folder, "data/version-2"), { recursive: true });
    if (content === "backup")
      cpSync(join(folder, "backup/version-2"), join(folder, "data/version-2"), { recursive: true });
  }

  /** Keeps its connections, and answers nothing until it is resumed. */
  pause(index: number): void {
    this.#member(index).process.kill("SIGSTOP");
  }

  resume(index: number): void {
    this.#member(index).process.kill("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#members) process.kill("SIGKILL");
    await Promise.all(this.#members.map(({ process }) => process.exited));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(index: number): Promise<void> {
    const member = this.#member(index);
    const probe = () => modeOf(member);
    await eventually("a ZooKeeper that serves", probe, { seconds: 60 }).catch((cause: unknown) => {
      throw new Error(`ZooKeeper did not start:\n${member.process.log()}`, { cause });
    });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    return member;
  }
}

/** A second port, for clients with a certificate of the same authority. */
function tlsSettings(home: string, files: IssuedFiles, port: number | undefined): readonly string[] {
  const { certificateChain, privateKey, rootCertificates } = files;
  const shown = join(home, "shown.pem");
  writeFileSync(shown, `${readFileSync(privateKey, "utf8")}\n${readFileSync(certificateChain, "utf8")}`);
  return [
    "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
    "secureClientPortAddress=127.0.0.1",
    `secureClientPort=${port}`,
    "ssl.keyStore.type=PEM",
    `ssl.keyStore.location=${shown}`,
    "ssl.trustStore.type=PEM",
    `ssl.trustStore.location=${rootCertificates}`,
  ];
}

async function quorumSettings(count: number): Promise<readonly string[]> {
  const ports = await Promise.all(Array.from({ length: 2 * count }, freePort));
  return Array.from({ length: count }, (_, index) => {
    return `server.${index + 1}=127.0.0.1:${ports[2 * index]}:${ports[2 * index + 1]}`;
  });
}

/** `leader`, `follower` or `standalone`; undefined while it serves nobody. */
async function modeOf(member: Member): Promise<string | undefined> {
  return /^Mode: (\w+)$/mu.exec(await askServer(member, "srvr"))?.[1];
}

/** Gives a server one of its commands of four letters. One that starts may never answer, and is not waited for. */
async function askServer({ port }: Member, command: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port }).setTimeout(1_000);
  socket.on("timeout", () => socket.destroy());
  socket.end(command);
  return await text(socket).catch(() => "");
}
