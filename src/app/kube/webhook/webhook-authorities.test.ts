import { expect, test } from "vitest";
import { FailingParts } from "../../../testing/recording/failing-parts.ts";
import { defaultOptions } from "../../options/options.ts";
import { webhookAuthorities } from "./webhook-authorities.ts";

test("the CA certificates of webhooks without files are the roots of our authority, during a rotation both", async () => {
  const listeners = new Set<() => void>();
  const authority = {
    trusted: ["old"],
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const told: string[] = [];
  const followed = webhookAuthorities({
    options: defaultOptions(),
    authority,
    clock: new FailingParts().clockFor("webhook registration"),
    use: (authorities) => told.push(authorities),
    onError: (error) => expect.fail(String(error)),
  });
  await followed.start();
  expect(told).toEqual(["old\n"]);
  authority.trusted = ["old\n", "new"];
  for (const listener of listeners) listener();
  expect(told).toEqual(["old\n", "old\nnew\n"]);
  await followed.stop();
  expect(listeners.size).toBe(0);
});
