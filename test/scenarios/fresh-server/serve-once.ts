/** A process that serves the objects on its standard input once, to every client, and says what they got. */
import { text } from "node:stream/consumers";
import { HeldLeases } from "../../../src/testing/mesh/held-leases.ts";
import { ScenarioMesh } from "../../../src/testing/mesh/scenario-mesh.ts";
import { clients } from "./clients.ts";

const mesh = await ScenarioMesh.serving(await text(process.stdin));
process.stdout.write(JSON.stringify(new HeldLeases(mesh.discovery.catalogue, clients).contents()));
