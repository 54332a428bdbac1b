import { expect, test } from "vitest";
import { Child } from "./child.ts";

function node(program: string): Child {
  return new Child(process.execPath, ["-e", program]);
}

test("a line is found on both outputs, before and after the wait begins", async () => {
  await using child = node(`console.log("port 1"); console.error("port 2"); setInterval(() => {}, 1000);`);
  expect((await child.line(/^port (\d)$/, { seconds: 10 })).length).toBe(2);
  expect((await child.line(/^port (2)$/, { seconds: 10 }))[1]).toBe("2");
});

test("waiting for a line of an ended process fails with its whole output", async () => {
  await using child = node(`console.log("no such directory"); process.exit(1);`);
  await expect(child.line(/^ready:/, { seconds: 10 })).rejects.toThrow("no such directory");
  expect(await child.exited).toBe(1);
});

test("a process with stdin can be written to, also after its end", async () => {
  await using child = new Child("cat", [], { listens: true });
  child.say("to be");
  child.say("or not");
  expect(await child.logged("or not")).toBe("or not");
  expect(child.linesLike(/^/u)).toEqual(["to be", "or not"]);
  await child.stop();
  child.say("nobody hears this");
  await expect(child.line(/^nobody/, { seconds: 10 })).rejects.toThrow("to be");
});

test("stop kills a process that ignores the signal, and may be repeated", async () => {
  const child = node(`process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000);`);
  await child.line(/^up$/, { seconds: 10 });
  await child.stop({ seconds: 0.1 });
  await child.stop();
  expect(await child.exited).toBe("SIGKILL");
});

test("a missing command fails every wait for it", async () => {
  const child = new Child("/no/such/command", []);
  await expect(child.exited).rejects.toThrow("ENOENT");
  await expect(child.line(/^ready:/, { seconds: 10 })).rejects.toThrow("ENOENT");
  await child.stop();
});
