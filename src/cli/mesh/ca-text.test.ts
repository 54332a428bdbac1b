import { expect, test } from "vitest";
import type { RotationReport } from "../../admin/pilot/ca-rotation.ts";
import { caText } from "./ca-text.ts";

const certificate = (subject: string) => ({
  subject,
  fingerprint: "0123456789abcdef0123",
  notBefore: "2026-01-01T00:00:00.000Z",
  notAfter: "2036-01-01T00:00:00.000Z",
});

test("a rotation is shown with its phase, its end, and the use of every certificate", () => {
  const report: RotationReport = {
    phase: "distribute",
    phaseSince: "2026-01-01T00:00:00.000Z",
    phaseEnds: "2026-01-02T00:00:00.000Z",
    signs: false,
    signing: [certificate("O=below"), certificate("O=old")],
    next: certificate("O=new"),
    trusted: [certificate("O=old"), certificate("O=new")],
  };
  expect(caText(report, "wide")).toContain("0123456789abcdef0123");
  expect(caText(report, "text").split("\n")).toEqual([
    "phase distribute since 2026-01-01T00:00:00.000Z, until 2026-01-02T00:00:00.000Z",
    "cannot sign: the store of the roots is not readable",
    "USE       SUBJECT   FINGERPRINT        EXPIRES",
    "signing   O=below   0123456789abcdef   2036-01-01T00:00:00.000Z",
    "chain     O=old     0123456789abcdef   2036-01-01T00:00:00.000Z",
    "next      O=new     0123456789abcdef   2036-01-01T00:00:00.000Z",
    "trusted   O=old     0123456789abcdef   2036-01-01T00:00:00.000Z",
    "trusted   O=new     0123456789abcdef   2036-01-01T00:00:00.000Z",
  ]);
});
