"""Look-alike characters and what they look like, written by tools/make_lookalikes.py. Do not edit.

From Unicode's confusables.txt (UTS 39), version 17.0.0. Copyright © 1991-2026 Unicode, Inc., under the Unicode
License V3 (https://www.unicode.org/license.txt); its text stands at the head of the tool's source.
"""

PAIRS = """
æae ĸk œoe ƅb ƍg ƽs ƿp ǀl ǁll ɑa ɡg ɢg ɪi ɯw ɴn ʀr ʍm ʏy ʙb ʜh ʝj ʟl ʣdz ʦts ʪls
ʫlz ʹ' ʺ'' ʻ' ʼ' ʽ' ʾ' ʿՙ ˈ' ˮ'' ͷᴎ ͻɔ ͽꜿ Μm Νn Υy αa βb γy δẟ εe ζz ηh ιi κk
νv οo ρp τt υu φɸ χx ϝf ϥч ϩƨ ϭo ϳj ϻm Ьb аa вb гr еe зɜ иᴎ кk мm нh оo пπ
рp сc тt уy фɸ хx шw яᴙ ѕs іi јj ѱψ ѵv Үy һh ӏl ӕae әǝ ӡȝ ԁd ԍg ԛq Ԝw աw գq
ծẟ հh յȷ ոn պɰ սu տs ցg ւi քf օo וl טv סo װll اl هo کك ڪك یي ߊl ߴ' ਕव ਟट ਠठ
ਤउ ਧप ਫढ ਮभ ਵह ਸम પч ઽऽ ଠo ಅఅ ಆఆ ಇఇ ಐఐ ಒఒ ಗగ ಜజ ಝఝ ಞఞ ಟట ಣణ ದద ನన ಯయ ರర ಱఱ
ಲల ಳళ ഉஉ ഖவ ജஐ ടs ഠo ണண ഥம ഴழ ശஶ ൎॱ ຈจ ຍย ບบ ປป ຝฝ ພพ ຟฟ ဂര ငc ဝo იര ყy ჳȝ
ჿo ሀu ሣɰ ኔձ ዐo Ꭰd Ꭱr Ꭲt Ꭵi Ꭹy Ꭺa Ꭻj Ꭼe Ꮃw Ꮇm Ꮋh Ꮏƫ Ꮐg Ꮓz Ꮟb Ꮥs Ꮩv Ꮮl Ꮯc Ꮲp
Ꮶk ᐯv ᑌu ᑭp ᑯd ᑲb ᒍj ᒪl ᕁx ᕷẟ ᕼh ᖇr ᖴf ᖷꟻ ᗅa ᗰm ᚷx ᛁl ᛕk ᛖm ᴀa ᴄc ᴅd ᴇe ᴊj
ᴋk ᴍm ᴏo ᴑo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz ᴦr ᴧʌ ᵫue ᶃg ᶌy ẝf ỿy ⋴e ⲃb ⲅr ⲉe ⲍⱬ ⲏh ⲓi ⲕk
ⲗʌ ⲙm ⲛn ⲝʓ Ⲟo ⲡπ ⲣp ⲥc ⲧt ⲩy ⲫɸ ⲭx ⲯψ ⲱω ⲽw ⳁϼ ⳅȝ Ⳏp ⳑl ⳝẟ ⳤϗ ⴸv ⴹe ⵏl ⵔo
ⵕq ⵙʘ ⵝx イ亻 エ工 カ力 タ夕 ト卜 ニ二 ハ八 ヘへ ロ口 ㄦ儿 一ー 于𛄢 ꓐb ꓑp ꓒd ꓔt ꓖg ꓗk ꓙj ꓚc ꓜz ꓝf
ꓟm ꓠn ꓡl ꓢs ꓣr ꓦv ꓧh ꓪw ꓫx ꓬy ꓭᙠ ꓮa ꓰe ꓳo ꓴu ꓷᗡ ꙅƨ ꙍω ꚙoo ꚰᚹ ꛍʡ ꛟv ꜱs ꜳaa ꜵao
ꜷau ꜹav ꜻav ꜽay ꝏoo ꝷtf ꞓe ꞙf ꞛ𐐺 ꞟu ꞵb ꞷω ꟷー ꦒⰿ ꬲe ꬵf ꬽo ꭇr ꭈr ꭎu ꭒu ꭓx ꭚy ꭠљ ꭣuo
𐊂b 𐊆e 𐊇f 𐊊l 𐊐x 𐊒o 𐊔ᛜ 𐊕p 𐊖s 𐊗t 𐊠a 𐊡b 𐊢c 𐊥f 𐊫o 𐊰m 𐊱t 𐊲y 𐊴x 𐊸ⵀ 𐋏h 𐌁b 𐌂c 𐌉l 𐌑m
𐌕t 𐌗x 𐐩e 𐐪ʚ 𐐬o 𐐽c 𐐿ɷ 𐑂ɞ 𐑃l 𐑈s 𐑋ɔ 𐑍ᴎ 𐓘ʌ 𐓛λ 𐓜r 𐓪o 𐓫ꙩ 𐓶u 𐓹ψ 𐔓n 𐔖o 𐔘k 𐔜c 𐔝v 𐔥f
𐔦l 𐔧x 𑇜ꣻ 𑒒ঘ 𑒔চ 𑒖জ 𑒘ঞ 𑒙ট 𑒛ড 𑒝ল 𑒞ত 𑒟থ 𑒠দ 𑒡ধ 𑒢ন 𑒣প 𑒧ম 𑒨য 𑒩ব 𑒪ণ 𑒫র 𑒭ষ 𑒮স 𑓄ঽ 𑜀rn
𑜆v 𑜊w 𑢣l 𑢤y 𑢮e 𑢼t 𑣀v 𑣁s 𑣂f 𑣃i 𑣄z 𑣆e 𑣈o 𑣉z 𑣒l 𑣕o 𑣘u 𑣜y 𑷚l 𑷠o 𑷡l 𒀸𐎚 𓋹𐦞 𖺪l 𖺶b
𖼈v 𖼊t 𖼖l 𖼦ꓶ 𖼵r 𖼺s 𖽀a 𖽂u 𖽃y 𜳖a 𜳗b 𜳘c 𜳙d 𜳚e 𜳛f 𜳜g 𜳝h 𜳞l 𜳟j 𜳠k 𜳡l 𜳢m 𜳣n 𜳤o 𜳥p
𜳦q 𜳧r 𜳨s 𜳩t 𜳪u 𜳫v 𜳬w 𜳭x 𜳮y 𜳯z 𜳰o 𜳱l 𜳲2 𜳳3 𜳴4 𜳵5 𜳶6 𜳷7 𜳸8 𜳹9
"""
