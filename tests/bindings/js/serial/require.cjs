// Prints whether the entries share their errors by CommonJS.
const { GradmoteError } = require("gradmote"), serial = require("gradmote/serial");
serial.Board.request().catch((error) => {
  console.log(JSON.stringify({ shared: error instanceof GradmoteError && error instanceof serial.DeviceError, error: error.error }));
});
