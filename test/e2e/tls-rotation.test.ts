import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { ECHO } from "../../src/testing/stream/grpc-js-rig.ts";
import { authority, byCertificate, callWith, dial, serialShown, startWhoAmI, whoIs } from "./support/tls/who-am-i.ts";

const patience = { seconds: 20 };

describe("a certificate replaced on disk", () => {
  test("is used for new handshakes, and open streams continue", async () => {
    const ours = await authority();
    const files = await ours.issueServer("xds");
    const { address, logger } = await startWhoAmI(files);
    const { stream, received } = callWith(address, files);
    await once(stream, "data");
    const before = await serialShown(address, files);
    await ours.issueServer("xds");
    const isOther = async () => ((await serialShown(address, files)) === before ? undefined : true);
    await eventually("another certificate", isOther, patience);
    stream.write(Buffer.from("still here"));
    await once(stream, "data");
    expect(received.map(String)).toEqual(["anybody", "still here"]);
    expect(logger.messages("info")).toEqual(["certificate replaced"]);
  });

  test("with a mismatched key is refused by name, and the old one stays", async () => {
    const ours = await authority();
    const files = await ours.issueServer("xds");
    const { address, logger } = await startWhoAmI(files);
    const before = await serialShown(address, files);
    writeFileSync(files.privateKey, readFileSync((await ours.issueServer("other")).privateKey));
    await eventually("an error", () => logger.messages("error").length > 0, patience);
    expect(logger.lines.find(({ level }) => level === "error")).toMatchObject({
      message: "certificate not replaced",
      fields: {
        err: { message: `${files.privateKey} is not the key of ${files.certificateChain}: they mismatch` },
        key: files.privateKey,
      },
    });
    expect(await serialShown(address, files)).toBe(before);
  });

  test("together with its CA applies to new handshakes, and open streams continue", async () => {
    const [ours, theirs] = [await authority(), await authority()];
    const files = await ours.issueServer("xds");
    const reviews = await ours.issue("shop", "reviews");
    const stranger = await theirs.issue("shop", "ratings");
    const { address } = await startWhoAmI(files, byCertificate);
    const { stream } = callWith(address, files, reviews);
    await once(stream, "data");
    expect(await whoIs(address, files, stranger)).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });

    const trusted = { rootCertificates: `${files.rootCertificates}.before` };
    writeFileSync(trusted.rootCertificates, readFileSync(files.rootCertificates));
    writeFileSync(files.rootCertificates, readFileSync(stranger.rootCertificates));
    const trust = { ...files, ...trusted };
    const letIn = async () => (await whoIs(address, trust, stranger)) === "spiffe://cluster.local/ns/shop/sa/ratings";
    await eventually("the new authority is believed", letIn, patience);
    expect(await whoIs(address, trust, reviews)).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
    stream.write(Buffer.from("still here"));
    expect(String((await once(stream, "data"))[0])).toBe("still here");
  });

  test("invalidates TLS sessions of the old CA", async () => {
    const [ours, theirs] = [await authority(), await authority()];
    const files = await ours.issueServer("xds");
    const reviews = await ours.issue("shop", "reviews");
    const { address, logger } = await startWhoAmI(files, byCertificate);
    const identity = { cert: readFileSync(reviews.certificateChain), key: readFileSync(reviews.privateKey) };
    const first = dial(address, files, identity);
    const [session] = (await once(first, "session")) as [Buffer];
    const trust = { ca: readFileSync(files.rootCertificates) };
    writeFileSync(files.rootCertificates, readFileSync((await theirs.issueServer("x")).rootCertificates));
    await eventually("the change", () => logger.messages("info").length > 0, patience);

    const again = connectHttp2(`https://${address}`, { ...trust, ...identity, session });
    onTestFinished(() => again.destroy());
    const request = again.request({ ":method": "POST", ":path": ECHO, "content-type": "application/grpc" });
    const [headers] = (await once(request, "response")) as [Record<string, string>];
    expect(headers["grpc-status"]).toBe(String(GrpcStatus.UNAUTHENTICATED));
  });
});
