import * as ort from "onnxruntime-web/training";
import "./digits.js";
import "./shown.js";
showDigits(ort);
