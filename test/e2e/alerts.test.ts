import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { type AlertCase, alertCases } from "./monitoring/alert-cases.ts";
import { alertRules, alertsFile, recordingFile } from "./monitoring/rule-files.ts";
import { root } from "./support/checkout.ts";
import { describeWith } from "./support/peers.ts";

const describeWithPrometheus = await describeWith("prometheus");

/** The output of promtool. Its problems are on standard output, too. */
async function promtool(...args: readonly string[]): Promise<string> {
  const command = join(await peerPath("prometheus"), "promtool");
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { maxBuffer: 1 << 24 });
    return stdout + stderr;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`promtool ${args.join(" ")}\n${stdout}${stderr}`, { cause });
  }
}

/** One test of promtool. A firing alert is a series of the metric ALERTS. */
function promtoolTest({ alert, severity, at = 20, ...cases }: AlertCase, expected: "fires" | "silent") {
  const samples = expected === "fires" ? [{ labels: `{severity="${severity}"}`, value: 1 }] : [];
  return {
    name: `${alert} ${expected}`,
    interval: "1m",
    input_series: Object.entries(cases[expected]).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: `count by (severity) (ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${at}m`,
        exp_samples: samples,
      },
    ],
  };
}

/** Each alert is judged alone: to evaluate all rules in every case takes thirty times as long. */
async function judge(cases: readonly AlertCase[]): Promise<string> {
  const files = await TempTree.create();
  onTestFinished(() => files.close());
  // JSON is YAML, too.
  const write = (name: string, content: object) => files.write(name, JSON.stringify(content));
  for (const each of cases) {
    const { alert } = each;
    const rules = alertRules().filter((rule) => rule.alert === alert);
    await write(`${alert}.rules.yaml`, { groups: [{ name: alert, rules }] });
    const tests = [promtoolTest(each, "fires"), promtoolTest(each, "silent")];
    await write(`${alert}.tests.yaml`, { rule_files: [`${alert}.rules.yaml`], evaluation_interval: "1m", tests });
  }
  return await promtool("test", "rules", ...cases.map(({ alert }) => files.path(`${alert}.tests.yaml`)));
}

test("every alert has a case in which it fires and one in which it does not", () => {
  expect(alertCases.map(({ alert }) => alert)).toEqual(alertRules().map(({ alert }) => alert));
});

/** The sections of the page about alerts, by heading. */
function sections(): ReadonlyMap<string, string> {
  const [, ...parts] = readFileSync(join(root, alertsPage), "utf8").split(/^### /mu);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part] as const));
}

const alertsPage = "docs/operations/alerts.md";

test("every alert leads to its own section, which says what to look at and what to do", () => {
  expect([...sections().keys()]).toEqual(alertRules().map(({ alert }) => alert));
  for (const { alert, annotations } of alertRules()) {
    expect(annotations.runbook_url).toBe(`${alertsPage}#${alert.toLowerCase()}`);
    const text = sections().get(alert) ?? "";
    expect([alert, text.includes("**Look**"), text.includes("**Do**")]).toEqual([alert, true, true]);
  }
});

test("every alert has a summary and a description in whole sentences", () => {
  const texts = alertRules().flatMap(({ annotations: { summary, description } }) => [summary, description]);
  expect(texts.filter((text) => !/^[A-Z{].*[.]$/u.test(text))).toEqual([]);
});

describeWithPrometheus("the rules for Prometheus", () => {
  test("are valid", async () => {
    const output = await promtool("check", "rules", alertsFile, recordingFile);
    expect(output.match(/SUCCESS/gu)).toHaveLength(2);
  });

  test("fire when they should, and only then", async () => {
    expect(await judge(alertCases)).toContain("SUCCESS");
  });

  test("are judged by a tool that notices a wrong expectation", async () => {
    const [first] = alertCases;
    const swapped = first === undefined ? [] : [{ ...first, fires: first.silent, silent: first.fires }];
    await expect(judge(swapped)).rejects.toThrow(/BinnacleDown/u);
  });
});
