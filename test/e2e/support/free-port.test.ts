import { expect, test } from "vitest";
import { Child } from "./child.ts";
import { freePort } from "./free-port.ts";

test("no other call gets a port, in this process or another one, although nobody listens on it", async () => {
  const module = new URL("free-port.ts", import.meta.url).href;
  const program = `
    const { freePort } = await import(${JSON.stringify(module)});
    console.log("port " + (await freePort()));
    setInterval(() => {}, 1000);`;
  await using other = new Child(process.execPath, ["--input-type=module", "-e", program]);
  const [, theirs] = await other.line(/^port (\d+)$/, { seconds: 20 });
  for (const taken of [Number(theirs), await freePort()]) {
    await expect(freePort({ from: taken, to: taken + 1 })).rejects.toThrow("is free");
  }
});
