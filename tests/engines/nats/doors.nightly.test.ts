import { doorTests } from "../doors.ts";
import { skip, testServer } from "./server.ts";

doorTests({
  name: "NATS JetStream",
  skip,
  server: testServer,
  facts: { server: "NATS JetStream", replicas: 1, syncAlways: "yes" },
  place: (url) => url.replace(/\/\/[^@]*@/, "//").replace(/\?.*$/, ""),
});
