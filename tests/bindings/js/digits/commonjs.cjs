const ort = require("onnxruntime-web/training");
require("./digits.js");
require("./shown.js");
showDigits(ort);
