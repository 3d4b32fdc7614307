"""How colours look to typical and colour-blind eyes: contrast, lightness, distance, from the published formulas."""

import math

import numpy as np

# Full deficiency (severity 1), applied to linear RGB: Machado, Oliveira and Fernandes (2009), 'A physiologically-based
# model for simulation of color vision deficiency', IEEE TVCG 15(6), table of the authors' page.
EYES = {
    "typical": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# sRGB to XYZ under D65 (IEC 61966-2-1).
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour):
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    high, low = sorted((float((XYZ @ linear(c))[1]) for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(colour, eye="typical"):
    """CIELAB (CIE 15:2004) as the given eye sees the colour."""
    t = XYZ @ np.clip(np.asarray(EYES[eye]) @ linear(colour), 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def oklab(colour):
    """Ottosson (2020), 'A perceptual color space for image processing', from XYZ."""
    to_lms = [[0.8189330101, 0.3618667424, -0.1288597137], [0.0329845436, 0.9293118715, 0.0361456387]]
    to_lms.append([0.0482003018, 0.2643662691, 0.6338517070])
    to_lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
    to_lab.append([0.0259040371, 0.7827717662, -0.8086757660])
    return np.array(to_lab) @ np.cbrt(np.array(to_lms) @ XYZ @ linear(colour))


def delta_e(one, other, eye="typical"):
    """CIEDE2000 (Sharma, Wu and Dalal, 2005, equations 2 to 22): about 1 is just noticeable, 10 plain at a glance."""
    (l1, a1, b1), (l2, a2, b2) = lab(one, eye), lab(other, eye)
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 1.5 - 0.5 * math.sqrt(mean**7 / (mean**7 + 25**7))
    a1, a2 = a1 * g, a2 * g
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    c, h = (c1 + c2) / 2, (h1 + turn / 2) % 360
    angles = ((1, -30, -0.17), (2, 0, 0.24), (3, 6, 0.32), (4, -63, -0.20))
    t = 1 + sum(weight * math.cos(math.radians(n * h + shift)) for n, shift, weight in angles)
    light = ((l1 + l2) / 2 - 50) ** 2
    dl = (l2 - l1) / (1 + 0.015 * light / math.sqrt(20 + light))
    dc = (c2 - c1) / (1 + 0.045 * c)
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * c * t)
    rotation = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    return math.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh)
